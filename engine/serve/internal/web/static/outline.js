// The plan as an outline: what is opened is fetched, and keys go through it and move nodes.
import { $, failed, made, main, note, say, t, withWorkspace, workspace } from "./base.js";
import { part } from "./server.js";
import { morph, refresh } from "./live.js";
import { adding } from "./add.js";
import { close, open } from "./beside.js";
import { actOn, clear, remove, rename, those, together, toggle } from "./chosen.js";

export const rowOf = (li) => li?.querySelector(":scope > .leaf a");
export const above = (li) => li.parentElement.closest("li[data-id]");
export const inTree = (id) => $('#tree [data-id="' + CSS.escape(id) + '"]');

// Folded parts of the plan, and what a node has besides its file, come when they are opened; of many nodes, a piece at
// a time.
export async function fill(d) {
  const all = made("ul");
  let more = null;
  for (let i = d.pieces || 1; i > 0; i--) {
    const from = "/plan?below=" + encodeURIComponent(d.closest("li").dataset.id);
    const after = more ? "&cursor=" + encodeURIComponent(more.dataset.more) : "";
    const got = await part(withWorkspace(from + after), "tree");
    all.append(...($("li > details > ul", got)?.childNodes || []));
    more = $("[data-more]", got);
    if (!more) break;
  }
  if (d.pieces && d.matches("#tree > li > details")) $("#tree > li > [data-more]")?.parentNode.remove();
  if (more) all.append(more.parentNode);
  if (all.firstChild) morph($("ul", d), all);
  markOpen();
}
export async function load(d) {
  const n = d.loads = (d.loads || 0) + 1, got = await part(withWorkspace(d.dataset.part));
  if (n === d.loads) $("div", d).replaceChildren(got); // else a later answer is on its way
}

// further shows the next piece of a long list.
export function further(button) {
  const d = button.closest("details") || $("#tree > li > details");
  d.pieces = (d.pieces || 1) + 1;
  return fill(d);
}

async function shift(li, key) {
  const rows = those(rowOf(li)), first = rows[0].closest("li"), up = above(first);
  const before = first.previousElementSibling, after = rows.at(-1).closest("li").nextElementSibling;
  if (!up) return;
  let args;
  if (key === "ArrowUp" && before) args = { newParentId: up.dataset.id, before: before.dataset.id };
  else if (key === "ArrowDown" && after) args = { newParentId: up.dataset.id, after: after.dataset.id };
  else if (key === "ArrowRight" && before) args = { newParentId: before.dataset.id };
  else if (key === "ArrowLeft" && above(up)) args = { newParentId: above(up).dataset.id, after: up.dataset.id };
  else return;
  await move(li, rows, args);
}

// move moves the nodes of rows, and keeps the focus on one.
export async function move(li, rows, args) {
  const { id } = li.dataset;
  await together(rows, "node_move", args);
  say("");
  await refresh();
  for (let d = inTree(id)?.parentElement.closest("details"); d; d = d.parentElement.closest("details")) d.open = true;
  const row = rowOf(inTree(id));
  row?.focus();
  note(t("moved") + ": " + row?.textContent + ", " + t("level") + " " + row?.ariaLevel);
}

// addHere begins a node below the row that has the focus, or beside it.
function addHere(at) {
  const button = (li) => li && $(":scope > .leaf [data-add]", li);
  const b = button(at) || at && button(above(at)) || $("[data-add]");
  if (b) adding(b.dataset.add);
  return b;
}

function go(li, key, tree) {
  const rows = [...tree.querySelectorAll("li[data-id]")].filter((x) => rowOf(x)?.offsetParent);
  const i = rows.indexOf(li), d = li && $(":scope > details", li);
  if (key === "ArrowDown") rowOf(rows[Math.min(i + 1, rows.length - 1)])?.focus();
  else if (key === "ArrowUp") rowOf(rows[Math.max(i - 1, 0)])?.focus();
  else if (key === "Home") rowOf(rows[0])?.focus();
  else if (key === "End") rowOf(rows.at(-1))?.focus();
  else if (key === "ArrowRight" && d) { if (d.open) rowOf($("li", d))?.focus(); else d.open = true; }
  else if (key === "ArrowLeft" && li) { if (d?.open) d.open = false; else rowOf(above(li))?.focus(); }
}

// deeds has what a key does with the row that has the focus.
const deeds = {
  Enter: (li) => above(li) ? adding(above(li).dataset.id, li.dataset.id) : adding(li.dataset.id),
  F2: (li) => rename(rowOf(li)),
  Delete: (li) => remove(rowOf(li)),
  " ": (li) => open(rowOf(li)),
  x: (li) => toggle(rowOf(li)),
  s: (li) => actOn("start", rowOf(li)),
  c: (li) => actOn("complete", rowOf(li)),
  f: (li) => actOn("fail", rowOf(li)),
};

// key does what a key does in the outline.
export function key(e) {
  const tree = $("#tree"), at = document.activeElement.closest?.("#tree li[data-id]");
  if (!tree) return;
  if (e.key === "n") { if (addHere(at)) e.preventDefault(); return; }
  if (e.key === "Escape" && !clear() && $("#beside")) close().catch(failed);
  const reads = document.body.hasAttribute("data-reads"); // the person may change nothing
  if (at && deeds[e.key] && !e.altKey && (e.key === " " || !reads)) {
    e.preventDefault();
    Promise.resolve(deeds[e.key](at)).catch(failed);
    return;
  }
  if (!e.key.startsWith("Arrow") && !(at && ["Home", "End"].includes(e.key))) return;
  if (!at && document.activeElement !== document.body && document.activeElement !== main) return;
  e.preventDefault();
  if (!e.altKey) go(at, e.key, tree);
  else if (at && !reads) shift(at, e.key).catch(failed);
}

// Folds are kept for each workspace: those that a person opened or closed. What a filter shows is open.
const foldsOf = "folds " + workspace;
const folds = JSON.parse(localStorage.getItem(foldsOf) || "{}");
const filtered = () => /[?&](filter|status|claim)=./.test(location.search);
function folded(d) {
  const id = d.closest("li").dataset.id, usual = d.dataset.below === undefined;
  rowOf(d.closest("li"))?.setAttribute("aria-expanded", d.open);
  if (filtered() || d.open === (folds[id] ?? usual)) return;
  folds[id] = d.open;
  if (d.open === usual) delete folds[id];
  localStorage.setItem(foldsOf, JSON.stringify(folds));
}
// markOpen marks the row of the node that is shown beside the outline.
function markOpen() {
  const id = $("#beside article")?.dataset.node;
  for (const a of document.querySelectorAll("#tree [aria-current]")) a.removeAttribute("aria-current");
  if (id) rowOf(inTree(id))?.setAttribute("aria-current", "true");
}
export function refold() {
  markOpen();
  for (const d of filtered() ? [] : document.querySelectorAll("#tree details")) {
    d.open = folds[d.closest("li").dataset.id] ?? d.open;
  }
}

export function beginOutline() {
  refold();
  document.addEventListener("toggle", (e) => {
    if (e.target.matches("#tree details")) folded(e.target);
    if (!e.target.open) return;
    if (e.target.dataset?.below) fill(e.target).catch(failed);
    if (e.target.dataset?.part) load(e.target).catch(failed);
  }, true);
  main.addEventListener("focusin", (e) => {
    if (!e.target.matches("#tree a")) return;
    for (const a of document.querySelectorAll('#tree a[tabindex="0"]')) a.tabIndex = -1;
    e.target.tabIndex = 0;
  });
}
