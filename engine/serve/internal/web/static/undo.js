// What an operation did is said with Undo; the next page says it, if this one is left.
import { did, failed } from "./base.js";
import { onDone, post } from "./server.js";
import { repaint } from "./live.js";

let lastDone = "";
export const undoLast = () => lastDone && undo(lastDone);
export async function undo(operation) {
  try {
    await post("/do/undo", { operation });
    lastDone = "";
    repaint();
  } catch (x) { failed(x); }
}

function tell(text, id) {
  lastDone = id;
  did(text, id && (() => undo(id)));
}
function replied(res) {
  const text = decodeURIComponent(res.headers.get("Arbor-Did") || ""), id = res.headers.get("Arbor-Undo");
  if (!text) return;
  sessionStorage.setItem("did", JSON.stringify({ text, id, at: Date.now() }));
  tell(text, id);
}

export function beginUndo() {
  onDone(replied);
  const before = JSON.parse(sessionStorage.getItem("did") || "null");
  sessionStorage.removeItem("did");
  if (before && Date.now() - before.at < 8000) tell(before.text, before.id);
}
