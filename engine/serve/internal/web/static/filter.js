// Filters act while one types. The address follows, so that Back and a reload keep them.
import { $, failed, main } from "./base.js";
import { refresh } from "./live.js";

function showQuery(query) {
  const node = new URLSearchParams(location.search).get("node");
  if (node) query.set("node", node);
  history.replaceState(null, "", location.pathname + "?" + query);
  return refresh().catch(failed);
}
const filterBy = (form) => showQuery(new URLSearchParams(new FormData(form)));
const here = (form) => form && form.getAttribute("action") === location.pathname && !form.matches("[data-make]");

export function beginFilter() {
  let waits;
  main.addEventListener("input", (e) => {
    if (e.target.id !== "filter" || !here(e.target.form)) return;
    clearTimeout(waits);
    waits = setTimeout(() => filterBy(e.target.form), 200);
  });
  main.addEventListener("change", (e) => { if (e.target.name === "by") filterBy(e.target.form); });
  main.addEventListener("submit", (e) => {
    if (!$("#filter", e.target) || !here(e.target)) return;
    e.preventDefault();
    clearTimeout(waits);
    filterBy(e.target);
  });
  main.addEventListener("click", (e) => {
    const chip = e.target.closest("[data-chip]");
    if (!chip || e.ctrlKey || e.metaKey) return;
    e.preventDefault();
    const query = new URL(chip.href).searchParams;
    $("#filter").value = query.get("filter") || "";
    showQuery(query);
  });
}
