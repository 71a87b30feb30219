// Adding in the outline: Enter adds a task and goes on, Tab adds a group and goes on below it, Shift+Tab goes on one
// level up, Escape ends. Several lines that are pasted become an outline.
import { $, failed, made, t, workspace } from "./base.js";
import { post, run } from "./server.js";
import { refresh } from "./live.js";
import { above, inTree, rowOf } from "./outline.js";

const draft = "draft add " + workspace;

// adding begins a node below another one, at the end or after one of those there; "root" is the top of the outline.
export function adding(parent, after) {
  $("#adding")?.remove();
  const li = parent === "root" ? $("#tree > li") : inTree(parent), d = li && $(":scope > details", li);
  if (!li) return;
  const id = li.dataset.id;
  if (d) d.open = true;
  let list = $(":scope > details > ul, :scope > ul", li);
  if (!list) li.append(list = made("ul"));
  const input = made("input", { placeholder: t("Title"), ariaLabel: t("Add below") + ": " + rowOf(li).textContent });
  const item = made("li", { id: "adding", className: "editing", role: "treeitem" }, input);
  const before = after && inTree(after);
  if (before?.parentElement === list) before.after(item);
  else list.append(item);
  input.value = localStorage.getItem(draft) ?? "";
  input.oninput = () => localStorage.setItem(draft, input.value);
  input.onpaste = (e) => {
    const text = e.clipboardData.getData("text");
    if (!text.trim().includes("\n")) return;
    e.preventDefault();
    create(input, () => post("/outline", { workspaceId: workspace, into: id, text }), () => [id]);
  };
  input.onkeydown = (e) => titleKey(e, input, li, id, after);
  input.focus();
}

function titleKey(e, input, li, id, after) {
  if (e.isComposing) return;
  const title = input.value.trim(), group = e.key === "Tab" && !e.shiftKey;
  if (e.key === "Escape") {
    localStorage.removeItem(draft);
    input.closest("li").remove();
    rowOf(after && inTree(after) || li)?.focus();
  } else if (e.key === "Tab" && e.shiftKey && above(li) && !title) {
    e.preventDefault();
    adding(above(li).dataset.id);
  } else if (title && (group || e.key === "Enter")) {
    e.preventDefault();
    e.stopPropagation();
    const type = group ? "planning" : "execution";
    create(input, () => run("node_create", { parentId: id, title, type, ...(after ? { after } : {}) }),
      (out) => group ? [out.nodeId] : [id, after && out.nodeId]);
  }
}

// create makes nodes once and begins the next one where into says.
async function create(input, make, into) {
  if (input.readOnly) return;
  input.readOnly = true;
  try {
    const next = into(await make());
    localStorage.removeItem(draft);
    await refresh();
    adding(...next);
  } catch (x) { failed(x); input.readOnly = false; }
}
