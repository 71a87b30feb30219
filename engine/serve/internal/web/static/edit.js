// Edits in place. Drafts are kept in the browser until what they say is saved.
import { $, did, failed, made, main, note, say, t, withWorkspace, workspace } from "./base.js";
import { part, post, run } from "./server.js";
import { refresh } from "./live.js";
import { offer } from "./palette.js";
import { retitle, titleDraft } from "./chosen.js";

export const node = () => $("article[data-node]", main)?.dataset;
const textDraft = (field) => "draft " + workspace + " " + node().node + " " + field;

// once submits a form. A second press while that is under way sends nothing.
const submitting = new WeakSet();
export async function once(form, submit) {
  if (submitting.has(form)) return;
  submitting.add(form);
  try { await submit(); } catch (x) { failed(x); } finally { submitting.delete(form); }
}

// edit opens a text of the node for editing, with a draft if there is one.
export function edit(section, draft) {
  const field = section.dataset.field, box = made("form"), area = made("textarea"), button = $("[data-edit]", section);
  const source = $(".source", section).value;
  let base = draft ? draft.base : source;
  area.value = draft ? draft.text : source;
  area.rows = Math.min(24, area.value.split("\n").length + 4);
  area.setAttribute("aria-label", $("h2", section).textContent);
  const discard = made("button", { type: "button", textContent: t("Discard") });
  const first = made("button", { className: "first", textContent: t("Save") });
  const look = made("button", { type: "button", textContent: t("Preview"), ariaPressed: "false" });
  const kept = made("span", { className: "faint", textContent: t("Kept in this browser until you save.") });
  box.append(area, made("p", { className: "row" }, first, look, discard, kept));
  look.onclick = () => preview(box, area, look).catch(failed);
  offer(area);
  section.classList.add("editing");
  section.now = null; // as the server draws it, when it is drawn anew
  button.hidden = true;
  section.append(box);
  const keep = () => {
    const title = $("article h1", main).textContent;
    localStorage.setItem(textDraft(field), JSON.stringify({ base, text: area.value, title }));
    drafts();
  };
  box.rebase = (text, onto) => { base = onto; area.value = text; keep(); };
  box.base = () => base;
  area.addEventListener("input", keep);
  const end = () => {
    localStorage.removeItem(textDraft(field));
    drafts();
    section.classList.remove("editing");
    box.remove();
    button.hidden = false;
    if (section.now) section.replaceChildren(...section.now.childNodes);
    $("[data-edit]", section).focus();
  };
  discard.addEventListener("click", () => {
    const left = { base, text: area.value };
    end();
    did(t("Discarded"), () => edit(section, left));
  });
  box.addEventListener("submit", (e) => {
    e.preventDefault();
    keep();
    once(box, async () => {
      const text = area.value;
      if (!await save(box, field, text)) return;
      say("");
      note(t("saved"));
      await refresh().catch(() => {}); // the text takes the place of the box
      if (area.value === text) { end(); return; }
      base = $(".source", section).value; // more was typed meanwhile
      keep();
    });
  });
  if (source !== base) conflict(box, source);
  area.focus();
}

// preview shows the text as it will look, or the text again.
async function preview(box, area, look) {
  const shown = $(".preview", box);
  look.ariaPressed = String(!shown);
  area.hidden = !shown;
  if (shown) { shown.remove(); area.focus(); return; }
  const out = await post("/preview", { workspaceId: workspace, nodeId: node().node, text: area.value });
  const page = made("div", { className: "text preview" });
  page.innerHTML = out.html; // the server has made it safe, as what it shows of files
  area.after(page);
}

// leave ends an edit and keeps its draft. It reports whether there is one.
export function leave(section) {
  $("form, input", section).remove();
  section.classList.remove("editing");
  return localStorage.getItem(textDraft(section.dataset.field ?? "title")) !== null;
}

// save writes the text unless the file has another one than the edit began with, which it shows. It reports whether it
// wrote.
async function save(box, field, text) {
  for (let tries = 1; ; tries++) {
    const fresh = await part(location.href);
    const theirs = $('[data-field="' + field + '"] .source', fresh).value;
    if (theirs !== box.base() && box.dataset.seen !== theirs) { conflict(box, theirs); return false; }
    box.sent = text;
    try {
      const ifMatch = $("article", fresh).dataset.version;
      await run("node_update", { nodeId: node().node, [field]: text, ifMatch });
      return true;
    } catch (x) { if (x.code !== "CONFLICT" || tries === 5) throw x; }
  }
}

// conflict shows what the file says now beside what is being written; saving after that is a decision.
function conflict(box, theirs) {
  $(".theirs", box)?.remove();
  const both = made("button", { type: "button", textContent: t("Merge both") });
  const hint = t("Save writes the text below.");
  const alarm = made("p", { className: "bad", role: "alert" });
  alarm.textContent = t("This text was changed elsewhere. It now says:");
  const shown = made("div", { className: "theirs" }, alarm, made("pre", { tabIndex: 0, textContent: theirs }),
    made("p", { className: "row" }, both, made("span", { className: "faint", textContent: hint })));
  both.addEventListener("click", () => join(box, shown).catch(failed));
  box.prepend(shown);
  box.dataset.seen = theirs;
}
async function join(box, shown) {
  const out = await post("/join", { base: box.base(), ours: $("textarea", box).value, theirs: box.dataset.seen });
  box.rebase(out.text, box.dataset.seen);
  const said = out.both ? t("Places where both changed the same lines (yours come first):") + " " + out.both
    : t("Both are below. Read it and save.");
  shown.replaceChildren(made("p", { role: "status", textContent: said }));
}

// changedBelow tells a text that is being edited what the file says now.
export function changedBelow(section, now) {
  const theirs = $(".source", now)?.value, source = $(".source", section), box = $("form", section);
  section.now = now;
  if (theirs === undefined || theirs === source?.value) return;
  source.value = theirs;
  if (theirs.trim() !== box.sent?.trim()) conflict(box, theirs);
}

// drafts lists the nodes of this workspace that have unsaved texts.
export function drafts() {
  const of = new Map(), start = "draft " + workspace + " ";
  for (const key of Object.keys(localStorage)) {
    if (!key.startsWith(start)) continue;
    const id = key.slice(start.length).split(" ")[0];
    of.set(id, JSON.parse(localStorage.getItem(key)).title || id);
  }
  const link = ([id, textContent]) => made("li", {}, made("a", { href: withWorkspace("/node/" + id), textContent }));
  $("#drafts summary").textContent = t("Drafts") + " " + of.size;
  for (const box of document.querySelectorAll("#drafts, #unsaved")) {
    box.hidden = !of.size;
    $("ul", box).replaceChildren(...[...of].map(link));
  }
}

// resume opens the texts of the node that have drafts, and fills fields that keep theirs.
export function resume() {
  drafts();
  for (const section of node() ? main.querySelectorAll("section[data-field]:not(.editing)") : []) {
    const draft = localStorage.getItem(textDraft(section.dataset.field));
    if (draft) edit(section, JSON.parse(draft));
  }
  const of = node()?.node;
  if (of && localStorage.getItem(titleDraft(of))) retitle($("article h1", main), of);
  for (const e of main.querySelectorAll("[data-draft]")) {
    e.value = localStorage.getItem("draft " + e.dataset.draft) ?? e.value;
  }
}
