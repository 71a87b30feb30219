// What an operation did is said with Undo; the next page says it, if this one is left.
import { did, failed } from "./base.js";
import { onDone, post } from "./server.js";
import { repaint } from "./live.js";

let last = [], batch = null;
export const undoLast = () => last.length && undo(last);
export async function undo(ids) {
  try {
    for (const operation of ids) await post("/do/undo", { operation });
    last = [];
    repaint();
  } catch (x) { failed(x); }
}

function tell(text, ids) {
  last = ids;
  did(text, ids.length && (() => undo(ids)));
}
function told(res) {
  const text = decodeURIComponent(res.headers.get("Arbor-Did") || ""), id = res.headers.get("Arbor-Undo");
  if (!text) return;
  if (batch) { batch.unshift({ text, id }); return; }
  sessionStorage.setItem("did", JSON.stringify({ text, id, at: Date.now() }));
  tell(text, id ? [id] : []);
}

// together runs an operation for each of some things, and says once what they did, with one Undo for all.
export async function together(things, operate) {
  batch = [];
  try { for (const x of things) await operate(x); } finally {
    const done = batch;
    batch = null;
    if (done.length) tell(done[0].text + (done[1] ? " (+" + (done.length - 1) + ")" : ""), done.map((d) => d.id));
    repaint();
  }
}

export function begin() {
  onDone(told);
  const before = JSON.parse(sessionStorage.getItem("did") || "null");
  sessionStorage.removeItem("did");
  if (before && Date.now() - before.at < 8000) tell(before.text, before.id ? [before.id] : []);
}
