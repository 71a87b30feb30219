// What the buttons and forms of a node and of the other views do.
import { $, failed, main, say, t, workspace } from "./base.js";
import { post, run } from "./server.js";
import { undo } from "./undo.js";
import { repaint } from "./live.js";
import { act, send } from "./ask.js";
import { edit, node, once } from "./edit.js";
import { adding } from "./add.js";
import { further } from "./outline.js";
import { retitle } from "./chosen.js";
import { close } from "./beside.js";

const lines = (text) => text.split("\n").map((x) => x.trim()).filter(Boolean);

// properties are the fields and own keys of the node, or the fields of one that is new. changed leaves out those that
// stay as they are.
function properties(anew) {
  const all = JSON.parse(node().fields);
  if (anew) return all.filter((f) => !f.key).map((f) => ({ ...f, value: "" }));
  return [...all, { name: "newKey", label: t("Another key") }, { name: "newValue", label: t("Its value") },
    { name: "newKeys", label: t("Allow a key that looks like a known one"), options: ["", "true"] }];
}
function changed(out, fields) {
  const key = out.newKey?.trim();
  for (const f of fields) {
    const value = out[f.name];
    if (f.key || f.name.startsWith("new")) delete out[f.name];
    if (f.key && value !== f.value) {
      if (f.list) out.fields = { ...out.fields, [f.key]: value ? lines(value) : null };
      else out.set = [...(out.set ?? []), f.key + "=" + value];
    } else if (f.name === "newKeys" && key && value) out.newKeys = true;
    else if (f.name === "newValue" && (key || value)) out.set = [...(out.set ?? []), key + "=" + value];
    else if (f.key || f.name.startsWith("new")) continue;
    else if (value === f.value) delete out[f.name];
    else if (!value) out[f.name] = f.none;
    else if (f.list) out[f.name] = lines(f.rows ? value : value.replaceAll(",", "\n"));
  }
  return out;
}

const title = () => $("article h1", main).textContent;
const version = () => $("article", main).dataset.workspaceVersion;
const conclusion = () => ({ name: "conclusion", label: t("Conclusion: the result"), rows: 6 });

// clicks has what a button does, by the name of its data attribute.
const clicks = {
  edit: (b) => edit(b.closest("section")),
  add: (b) => adding(b.dataset.add),
  more: further,
  action: (b) => act(b.dataset.node || node().node, b.dataset.action, b.dataset.title || title()),
  new() {
    const rules = [...main.querySelectorAll("#rules li")].map((x) => x.textContent);
    const fields = [...(rules.length ? [{ text: t("The rules:") }, { list: rules }] : []),
      { name: "title", label: t("Title"), required: true },
      { name: "type", label: t("Type"), options: ["execution", "planning"] },
      { name: "requirement", label: t("Requirement"), rows: 5 }, ...properties(true)];
    const { node: parentId, rules: rulesHash } = node();
    return send(t("New node below") + ": " + title(), fields, "node_create",
      (out) => ({ ...changed(out, properties(true)), parentId, ...(rulesHash ? { rulesHash } : {}) }));
  },
  rename(b) {
    const only = b.dataset.rename, named = { name: "title", label: t("Title"), required: true, value: title() };
    const fields = only ? properties().filter((f) => f.name === only) : [named, ...properties()];
    const args = (out) => ({ ...changed(out, only ? fields : properties()), nodeId: node().node });
    return send(t("Properties") + ": " + title(), fields, "node_update", args);
  },
  async refer(b) {
    const nodeId = node().node, targetIdOrPath = b.dataset.refer;
    if (targetIdOrPath) {
      await run("node_reference", { nodeId, targetIdOrPath, action: "remove" });
      repaint();
      return;
    }
    const fields = [{ name: "targetIdOrPath", label: t("Node or document"), nodes: true, required: true },
      { name: "description", label: t("What for") }];
    await send(t("Reference") + ": " + title(), fields, "node_reference", { nodeId, action: "add" });
  },
  problem() {
    const fields = [{ name: "problem", label: t("What is wrong"), rows: 4, required: true },
      { name: "nextStep", label: t("What to do next") }];
    return send(t("Report a problem"), fields, "problem_update", { nodeId: node().node });
  },
  async tick(b) {
    const how = b.dataset.done === "true" ? "unchecked" : "checked";
    await run("node_update", { nodeId: node().node, [how]: [b.dataset.tick], ifMatch: node().version });
    repaint();
  },
  force() {
    const fields = [{ text: t("The log records that criteria were open.") }, conclusion()];
    const args = (o) => ({ nodeId: node().node, action: "complete", force: true, ...(o.conclusion ? o : {}) });
    return send(t("Complete with open criteria") + ": " + title(), fields, "node_transition", args);
  },
  async solved(b) { await run("problem_clear", { nodeId: b.dataset.node || node().node }); repaint(); },
  async release(b) { await run("node_next", { release: b.dataset.release }); repaint(); },
  async seen() { await post("/seen", {}); repaint(); },
  move() {
    const label = t("Below which node (its title or id)");
    const fields = [{ name: "newParentId", label, nodes: true, required: true }];
    return send(t("Move"), fields, "node_move", { nodeId: node().node });
  },
  async delete() {
    const up = [...main.querySelectorAll(".trail a")].at(-1)?.href || "/";
    const fields = [{ text: t("Its subtree is deleted too. You can undo this under Activity.") }];
    if (await send(t("Delete") + ": " + title(), fields, "node_delete", { nodeId: node().node })) {
      if ($("#beside")) await close();
      else location.href = up;
    }
  },
  goal() {
    const fields = [{ name: "goal", label: t("Goal"), rows: 6, required: true, value: $("#goal").value }];
    return send(t("Edit the goal"), fields, "workspace_update", { ifMatch: version() });
  },
  rules() {
    const fields = [{ name: "rules", label: t("One rule per line"), rows: 10, value: $("#rules").value }];
    const args = (o) => ({ action: "replace", rules: lines(o.rules), ifMatch: version() });
    return send(t("Edit the rules"), fields, "workspace_update_rules", args);
  },
  undo: (b) => undo(b.dataset.undo),
  async repair() { await post("/do/workspace_check", { fix: true }); repaint(); },
  async do(b) {
    const session = b.dataset.session !== undefined ? { session: true } : {};
    await post("/do/" + b.dataset.do, { id: b.dataset.request, ...session });
    repaint();
  },
};

// ticked saves a box of a text.
async function ticked(box) {
  const at = { workspaceId: workspace, nodeId: node().node, field: box.closest("[data-field]").dataset.field };
  try {
    await post("/tick", { ...at, line: +box.dataset.line, done: box.checked, ifMatch: node().version });
  } catch (x) { box.checked = !box.checked; failed(x); }
  repaint();
}

// written opens what is clicked for editing: the title or a text of the node.
function written(e) {
  if (e.closest("a, input, summary, form, [data-reads]") || !getSelection().isCollapsed) return;
  if (e.closest("h1")) retitle(e.closest("h1"), node().node);
  else if (e.closest("section[data-field]:not(.editing) .text")) edit(e.closest("section"));
}

// keepDraft makes what is in a field its draft; fillField puts a text there.
function keepDraft({ dataset, value }) {
  if (value) localStorage.setItem("draft " + dataset.draft, value);
  else localStorage.removeItem("draft " + dataset.draft);
}
function fillField(field, value) {
  field.value = value;
  keepDraft(field);
}

// submitted sends a form, which is emptied at once: what is typed meanwhile stays. If that fails, the text is back.
async function submitted(form, button) {
  const data = Object.fromEntries(new FormData(form, button)), fields = form.querySelectorAll("[data-draft]");
  for (const e of fields) fillField(e, "");
  try {
    if (form.dataset.log !== undefined) {
      await run("log_append", { nodeId: form.dataset.node || node().node, event: form.dataset.log + data.event });
    } else if (form.dataset.make === "workspace_init") {
      await post("/do/workspace_init", data);
    } else if (form.dataset.post) await post(form.dataset.post, { workspaceId: workspace, ...data });
    else await run(form.dataset.make, data);
  } catch (x) {
    for (const e of fields) fillField(e, [data[e.name], e.value].filter(Boolean).join("\n"));
    throw x;
  }
  say("");
  if (form.dataset.post) form.closest("details").remove(); // the text that it was about is another one now
  if (form.dataset.then) location.href = form.dataset.then;
  else if (form.dataset.make === "workspace_init") location.href = "/plan#add";
  else repaint();
}

export function beginNode() {
  main.addEventListener("click", async (e) => {
    const b = e.target.closest("button");
    if (!b) { written(e.target); return; }
    if (e.detail > 1) return; // of a double click: another button may be there by now
    try {
      for (const name of Object.keys(clicks)) if (b.dataset[name] !== undefined) { say(""); await clicks[name](b); }
    } catch (x) { failed(x); }
  });
  main.addEventListener("input", (e) => {
    if (e.target.dataset.draft) keepDraft(e.target);
  });
  main.addEventListener("change", (e) => { if (e.target.dataset.line) ticked(e.target); });
  main.addEventListener("submit", (e) => {
    const form = e.target;
    if (form.dataset.log === undefined && !form.dataset.make && !form.dataset.post) return;
    e.preventDefault();
    if ($("[data-draft][required]", form)) submitted(form, e.submitter).catch(failed); // twice is no harm: it is empty
    else once(form, () => submitted(form, e.submitter));
  });
}
