// What is done with rows of the outline: one that has the focus, or several that were chosen with x.
import { $, failed, made, main, t, workspace } from "./base.js";
import { run } from "./server.js";
import { ask } from "./ask.js";
import { drafts } from "./edit.js";
import { refresh, repaint } from "./live.js";
import { above, inTree, rowOf } from "./outline.js";

const all = () => [...main.querySelectorAll('#tree [aria-selected="true"]')];
const idOf = (row) => row.closest("li").dataset.id;

export function toggle(row) {
  row.setAttribute("aria-selected", row.ariaSelected !== "true");
  bar();
}
export function clear() {
  const some = all();
  for (const row of some) row.setAttribute("aria-selected", "false");
  bar();
  return some.length;
}

// bar shows how many rows are chosen, and what can be done with them.
export function bar() {
  const n = all().length, buttons = ["start", "complete", "fail", "drop"].map((action) =>
    made("button", { textContent: t(action), onclick: () => actOn(action) }));
  $("#chosen").hidden = !n;
  $("#chosen").replaceChildren(made("span", { textContent: t("Chosen") + ": " + n }), ...buttons,
    made("button", { textContent: t("Delete"), onclick: () => remove() }),
    made("button", { className: "quiet", textContent: "×", ariaLabel: t("Close"), onclick: clear }));
}

// those are the rows that an operation is about.
export function those(row) {
  const some = all();
  return some.length ? some : row ? [row] : [];
}
const named = (rows) => rows.map((r) => r.textContent).join(", ");

export async function actOn(action, row) {
  const rows = those(row);
  if (!rows.length) return;
  let given = {};
  if (action !== "start") {
    const fields = [{ name: "conclusion", label: t("Conclusion: the result"), rows: 6 }];
    const answer = await ask(t(action) + ": " + named(rows), fields);
    if (!answer) return;
    answer.sent();
    if (answer.out.conclusion) given = answer.out;
  }
  await together(rows, "node_transition", { action, ...given });
}

export async function remove(row) {
  const rows = those(row);
  if (!rows.length) return;
  const fields = [{ text: t("What is below is deleted too. You can undo it.") }];
  const answer = await ask(t("Delete") + ": " + named(rows), fields);
  if (!answer) return;
  const first = rows[0].closest("li"), last = rows.at(-1).closest("li");
  const near = [last.nextElementSibling, first.previousElementSibling, above(first)].find((li) => li?.dataset.id);
  await together(rows, "node_delete");
  await refresh();
  rowOf(near)?.focus();
}

// together runs one operation on the nodes of rows.
export async function together(rows, operation, args) {
  const [nodeId, ...also] = rows.map(idOf);
  await run(operation + "?" + also.map((id) => "also=" + encodeURIComponent(id)).join("&"), { nodeId, ...args });
  if (operation !== "node_move") clear(); // the next step moves them, too
  repaint();
}

// rename edits the title of a row where it stands, retitle that of a node in any element. The text is a draft
// until it is saved or given up.
export const rename = (row) => retitle(row, idOf(row));
export const titleDraft = (id) => "draft " + workspace + " " + id + " title";
export function retitle(row, id) {
  const title = row.closest(".title"), kept = JSON.parse(localStorage.getItem(titleDraft(id)));
  const input = made("input", { value: kept?.text ?? row.textContent, ariaLabel: t("Title") });
  if (title.classList.contains("editing")) return;
  title.classList.add("editing");
  row.hidden = true;
  title.prepend(input);
  input.oninput = () => {
    localStorage.setItem(titleDraft(id), JSON.stringify({ text: input.value, title: row.textContent }));
    drafts();
  };
  const end = (text) => {
    input.onblur = null;
    input.remove();
    row.hidden = false;
    title.classList.remove("editing");
    rowOf(inTree(id))?.focus();
    const old = row.textContent, sent = JSON.stringify({ text, title: old });
    const over = () => { // unless a further title is being written
      if (!text || localStorage.getItem(titleDraft(id)) === sent) localStorage.removeItem(titleDraft(id));
      drafts();
      repaint();
    };
    if (!text) { over(); return; }
    localStorage.setItem(titleDraft(id), sent);
    row.textContent = text; // the keys that follow are for the row
    run("node_update", { nodeId: id, title: text }).then(over, (x) => { row.textContent = old; failed(x); });
  };
  input.onkeydown = (e) => {
    if (e.isComposing || !["Enter", "Escape"].includes(e.key)) return;
    e.preventDefault();
    end(e.key === "Enter" && input.value.trim());
  };
  input.onblur = () => { if (input.value === row.textContent) end(); };
  input.select();
}
