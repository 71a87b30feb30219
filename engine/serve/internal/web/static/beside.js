// The node beside the outline: on a wide screen a click or Space in the outline opens it there. On a smaller one it has
// a page of its own.
import { $, did, failed, main, t } from "./base.js";
import { refresh } from "./live.js";
import { leave } from "./edit.js";

const wide = matchMedia("(min-width: 1100px)");

// open shows the node of a link, beside the outline if there is room.
export async function open(link) {
  if (!$("#tree") || !wide.matches) { location.href = link.href; return; }
  await showBeside(decodeURIComponent(link.pathname.split("/").pop()));
}
export const close = () => showBeside("");
async function showBeside(id) {
  const kept = [...main.querySelectorAll("#beside .editing")].filter(leave).length;
  await at("node", id, "pushState");
  if (kept) did(t("Your text is kept as a draft."));
}

// at draws the view with another value of a parameter of its address.
async function at(name, value, how = "replaceState") {
  const to = new URL(location.href);
  if (value) to.searchParams.set(name, value);
  else to.searchParams.delete(name);
  history[how](null, "", to);
  await refresh();
}

export function beginBeside() {
  window.addEventListener("popstate", () => refresh().catch(failed));
  main.addEventListener("click", (e) => {
    const a = e.target.closest("a"), tab = a?.dataset.tab;
    if (!a || e.ctrlKey || e.metaKey || e.shiftKey || tab === undefined && !($("#tree") && wide.matches)) return;
    if (tab !== undefined) at("tab", tab).catch(failed);
    else if (a.matches(".close")) close().catch(failed);
    else if (a.matches("#tree a, #beside article a") && a.pathname.startsWith("/node/")) open(a).catch(failed);
    else return;
    e.preventDefault();
  });
  main.addEventListener("input", (e) => {
    if (e.target.name === "budget") at("budget", e.target.value).catch(failed);
  });
}
