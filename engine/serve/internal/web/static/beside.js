// The node beside the outline: on a wide screen a click or Space in the outline opens it there. On a smaller one it has
// a page of its own.
import { $, did, failed, main, t } from "./base.js";
import { refresh } from "./live.js";
import { leave } from "./edit.js";

const wide = matchMedia("(min-width: 1100px)");

// open shows the node of a link, beside the outline if there is room.
export async function open(link) {
  if (!$("#tree") || !wide.matches) { location.href = link.href; return; }
  await show(decodeURIComponent(link.pathname.split("/").pop()));
}
export const close = () => show("");
async function show(id) {
  const kept = [...main.querySelectorAll("#beside .editing")].filter(leave).length;
  const to = new URL(location.href);
  if (id) to.searchParams.set("node", id);
  else to.searchParams.delete("node");
  history.pushState(null, "", to);
  await refresh();
  if (kept) did(t("Your text is kept as a draft."));
}

export function begin() {
  window.addEventListener("popstate", () => refresh().catch(failed));
  main.addEventListener("click", (e) => {
    const a = e.target.closest("a");
    if (!a || e.ctrlKey || e.metaKey || e.shiftKey || !$("#tree") || !wide.matches) return;
    if (a.matches(".close")) close().catch(failed);
    else if (a.matches("#tree a, #beside article a") && a.pathname.startsWith("/node/")) open(a).catch(failed);
    else return;
    e.preventDefault();
  });
}
