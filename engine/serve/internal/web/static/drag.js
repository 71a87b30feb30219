// Dragging: in the outline a node goes before, after or below another one; on the board it gets another status.
import { $, failed, main, t } from "./base.js";
import { act } from "./ask.js";
import { those } from "./chosen.js";
import { above, move, rowOf } from "./outline.js";

let dragged = null;
const target = (e) => dragged && e.target.closest?.(".column, #tree [draggable]");
const unmark = () => { for (const e of document.querySelectorAll("[data-drop]")) delete e.dataset.drop; };

function place(e, over) {
  if (over.matches(".column")) return "into";
  const box = over.getBoundingClientRect(), at = (e.clientY - box.top) / box.height;
  return at < 0.3 ? "before" : at > 0.7 ? "after" : "into";
}

async function become(card, status) {
  const to = JSON.parse(card.dataset.to);
  if (card.closest(".column").dataset.status === status) return;
  if (!to[status]) {
    throw new Error(t("The life cycle does not allow that. From here a node can become:") + " " +
      (Object.keys(to).map(t).join(", ") || "–"));
  }
  await act(card.dataset.id, to[status], $("a", card).textContent);
}

async function drop(moved, over, e) {
  if (over.matches(".column")) return become(moved, over.dataset.status);
  const li = over.closest("li[data-id]"), how = place(e, over), up = above(li);
  if (li === moved) return;
  const into = how === "into" || !up;
  const args = into ? { newParentId: li.dataset.id } : { newParentId: up.dataset.id, [how]: li.dataset.id };
  const row = rowOf(moved);
  await move(moved, row.ariaSelected === "true" ? those(row) : [row], args);
}

export function beginDrag() {
  main.addEventListener("dragstart", (e) => {
    const row = e.target.closest?.("[draggable=true]");
    if (!row) return;
    dragged = row.closest("[data-id]");
    e.dataTransfer.effectAllowed = "move";
    e.dataTransfer.setData("text/plain", dragged.dataset.id);
  });
  main.addEventListener("dragover", (e) => {
    const over = target(e);
    unmark();
    if (!over) return;
    e.preventDefault();
    over.dataset.drop = place(e, over);
  });
  main.addEventListener("dragend", () => { unmark(); dragged = null; });
  main.addEventListener("drop", (e) => {
    const over = target(e), moved = dragged;
    dragged = null;
    unmark();
    if (!over) return;
    e.preventDefault();
    drop(moved, over, e).catch(failed);
  });
}
