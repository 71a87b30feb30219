// The script of the page: it repaints what changed, and sends what people do to the operations of the catalogue.
import { $ } from "./base.js";
import { beginBeside } from "./beside.js";
import { beginDrag } from "./drag.js";
import { resume } from "./edit.js";
import { beginFilter } from "./filter.js";
import { anew, beginFrame } from "./frame.js";
import { follow } from "./live.js";
import { beginNode } from "./node.js";
import { beginOutline, key } from "./outline.js";
import { palette } from "./palette.js";
import { beginUndo, undoLast } from "./undo.js";

sessionStorage.removeItem("tried"); // see again
if (location.hash.startsWith("#token=")) history.replaceState(null, "", location.pathname + location.search);

document.addEventListener("keydown", (e) => {
  const held = e.ctrlKey || e.metaKey;
  if (held && e.key === "Enter" && e.target.matches("textarea")) {
    e.preventDefault(); // the button that gets the focus is not pressed
    e.target.form?.requestSubmit($("button:not([type=button])", e.target.form));
    return;
  }
  if (e.key === "Enter" && !e.shiftKey && !e.isComposing && e.target.matches("[data-sends]")) {
    e.preventDefault();
    e.target.form.requestSubmit();
    return;
  }
  if (held && e.key === "k") { e.preventDefault(); palette(); return; }
  if (e.target.matches("input, textarea, select") || $("dialog[open]")) return;
  if (held) { if (e.key === "z" && undoLast()) e.preventDefault(); return; }
  if (e.key === "?") { $("#keys").showModal(); return; }
  if (e.key === "/") { e.preventDefault(); palette(); return; }
  if (e.key === "n" && !$("#tree") && $("#new")) { e.preventDefault(); anew(); return; }
  key(e);
});
$("#find").addEventListener("click", palette);
beginFrame();
beginOutline();
beginDrag();
beginBeside();
beginFilter();
beginUndo();
beginNode();
resume();
follow();
