// The script of the page: it repaints what changed, and sends what people do to the operations of the catalogue.
import { $ } from "./base.js";
import * as beside from "./beside.js";
import * as drag from "./drag.js";
import * as edit from "./edit.js";
import * as filter from "./filter.js";
import * as frame from "./frame.js";
import * as live from "./live.js";
import * as node from "./node.js";
import * as outline from "./outline.js";
import { palette } from "./palette.js";
import * as undo from "./undo.js";

sessionStorage.removeItem("tried"); // see again
if (location.hash.startsWith("#token=")) history.replaceState(null, "", location.pathname + location.search);

document.addEventListener("keydown", (e) => {
  const held = e.ctrlKey || e.metaKey;
  if (held && e.key === "Enter" && e.target.matches("textarea")) {
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
  if (held) { if (e.key === "z" && undo.undoLast()) e.preventDefault(); return; }
  if (e.key === "?") { $("#keys").showModal(); return; }
  if (e.key === "/") { e.preventDefault(); palette(); return; }
  if (e.key === "n" && !$("#tree") && $("#new")) { e.preventDefault(); frame.anew(); return; }
  outline.key(e);
});
$("#find").addEventListener("click", palette);
frame.begin();
outline.begin();
drag.begin();
beside.begin();
filter.begin();
undo.begin();
node.begin();
edit.resume();
live.follow();
