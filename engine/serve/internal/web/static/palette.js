// The palette finds nodes, views and actions by what one types: Ctrl+K or /. A text offers nodes after [[.
import { $, failed, made, main, t, withWorkspace, workspace } from "./base.js";
import { part } from "./server.js";

// choices is a list that an input moves through by keys. Choosing calls the item's go.
let ids = 0;
export function choices(input, list) {
  let items = [], at = 0;
  const id = list.id = "choices-" + ++ids;
  const draw = () => {
    list.replaceChildren(...items.map((x, i) => made("li", {
      id: id + "-" + i, role: "option", ariaSelected: String(i === at),
      onmousedown: (e) => { e.preventDefault(); x.go(); },
    }, x.label, made("span", { className: "faint", textContent: x.kind }))));
    if (items.length) input.setAttribute("aria-activedescendant", id + "-" + at);
    else input.removeAttribute("aria-activedescendant");
    list.children[at]?.scrollIntoView({ block: "nearest" });
  };
  return {
    show(all) { items = all; at = 0; draw(); },
    key(e) { // reports whether the key was one of the list
      if (!items.length || e.isComposing) return false;
      if (e.key === "ArrowDown") at = (at + 1) % items.length;
      else if (e.key === "ArrowUp") at = (at + items.length - 1) % items.length;
      else if (e.key !== "Enter") return false;
      e.preventDefault();
      e.stopPropagation();
      if (e.key === "Enter") items[at].go();
      else draw();
      return true;
    },
  };
}

// found returns links to what a search finds.
export async function found(query, place = "") {
  const got = await part(withWorkspace("/search?q=" + encodeURIComponent(query) + "&in=" + place));
  const link = (a) => ({ label: a.textContent, href: a.getAttribute("href") });
  return [...got.querySelectorAll(".found a")].slice(0, 12).map(link);
}

function known() {
  const to = (path) => () => { location.href = withWorkspace(path); };
  const view = (label, path) => ({ label, kind: t("View"), go: to(path) });
  const link = (a) => ({ label: a.firstChild.textContent.trim(), kind: t("View"), go: () => a.click() });
  const button = (b) => ({ label: b.textContent, kind: t("Action"), go: () => b.click() });
  const buttons = "article[data-node] > .row > button, button[data-goal], button[data-rules]";
  return [...[...main.querySelectorAll(buttons)].map(button),
    ...[...document.querySelectorAll("#new")].map(button), ...[...document.querySelectorAll(".rail a")].map(link),
    view(t("Board"), "/board"), view(t("Graph"), "/graph"), view(t("Approvals"), "/approvals"),
    view(t("Check"), "/check")];
}

export function palette() {
  if ($("#palette")) return;
  const input = made("input", { type: "search", placeholder: t("Search"), ariaLabel: t("Search"), role: "combobox" });
  const list = made("ul", { className: "choices", role: "listbox", ariaLabel: t("Search") });
  const dialog = made("dialog", { id: "palette", ariaLabel: t("Search") }, input, list), all = known();
  const of = choices(input, list);
  const close = (go) => () => { dialog.close(); go(); };
  const show = (items) => of.show(items.map((x) => ({ ...x, go: close(x.go) })));
  const matches = () => {
    const words = input.value.toLowerCase().split(/\s+/);
    return all.filter((x) => words.every((w) => x.label.toLowerCase().includes(w)));
  };
  let waits;
  input.oninput = () => {
    const text = input.value.trim();
    show(matches());
    clearTimeout(waits);
    if (!text || !workspace) return;
    waits = setTimeout(async () => {
      const links = await found(text).catch(failed) ?? [];
      if (input.value.trim() !== text) return;
      const nodes = links.map((a) => ({ label: a.label, kind: "", go: () => { location.href = a.href; } }));
      const more = { label: t("Search") + ": " + text, kind: "", go: () => {
        location.href = withWorkspace("/search?q=" + encodeURIComponent(text));
      } };
      show([...matches(), ...nodes, more]);
    }, 120);
  };
  input.onkeydown = (e) => { if (e.key === "Escape") dialog.close(); else of.key(e); };
  input.setAttribute("aria-controls", list.id);
  input.ariaExpanded = "true";
  dialog.onclose = () => dialog.remove();
  dialog.onclick = (e) => { if (e.target === dialog) dialog.close(); };
  document.body.append(dialog);
  dialog.showModal();
  show(all);
}

// offer offers nodes for what a field has before the cursor: in a text after [[, in a list in each line. What is chosen
// ends with more.
export function offer(area, part = /\[\[([^\[\]\n]+)$/, more = "]]") {
  const list = made("ul", { className: "choices", role: "listbox", ariaLabel: t("Node") }), of = choices(area, list);
  const typed = () => part.exec(area.value.slice(0, area.selectionStart))?.[1];
  area.addEventListener("input", async () => {
    const query = typed();
    let links = query ? await found(query, "plan").catch(() => []) : [];
    if (query !== typed()) return;
    if (links.some((a) => a.label === query)) links = []; // it is one already
    of.show(links.filter((a) => a.href.startsWith("/node/")).map((a) => ({ label: a.label, kind: "", go() {
      const end = area.selectionStart, from = end - query.length;
      area.setRangeText(a.label + more, from, end, "end");
      area.dispatchEvent(new Event("input"));
    } })));
  });
  area.addEventListener("keydown", of.key);
  area.addEventListener("blur", () => of.show([]));
  area.after(list);
}
