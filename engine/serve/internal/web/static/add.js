// Adding in the outline: Enter adds a task and goes on, Tab adds a group and goes on below it, Shift+Tab goes on one
// level up, Escape ends. Several lines that are pasted become an outline.
import { $, failed, made, t, workspace } from "./base.js";
import { post, run } from "./server.js";
import { refresh } from "./live.js";
import { above, inTree, rowOf } from "./outline.js";

const draft = "draft add " + workspace;

// The next node goes below a parent, after another node or at the end. While one is made, coming promises that.
let spot, coming;

// adding begins a node below another one, at the end or after one of those there; "root" is the top of the outline. A
// title that is half typed goes along.
export function adding(parent, after) {
  const li = parent === "root" ? $("#tree > li") : inTree(parent), d = li && $(":scope > details", li);
  if (!li) return;
  coming = Promise.resolve(spot = [li.dataset.id, after]);
  if (d) d.open = true;
  let list = $(":scope > details > ul, :scope > ul", li);
  if (!list) li.append(list = made("ul"));
  const item = $("#adding") || begun(), input = $("input", item), before = after && inTree(after);
  input.ariaLabel = t("Add below") + ": " + rowOf(li).textContent;
  if (before?.parentElement !== list) { if (list.lastChild !== item) list.append(item); }
  else if (before.nextSibling !== item) before.after(item);
  input.focus();
}

function begun() {
  const input = made("input", { placeholder: t("Title"), value: localStorage.getItem(draft) ?? "" });
  input.oninput = () => localStorage.setItem(draft, input.value);
  input.onpaste = (e) => {
    const text = e.clipboardData.getData("text");
    if (!text.trim().includes("\n")) return;
    e.preventDefault();
    create(input, ([into]) => post("/outline", { workspaceId: workspace, into, text }).then(() => [into]));
  };
  input.onkeydown = (e) => titleKey(e, input);
  const group = made("button", { className: "quiet", textContent: t("As a group"), title: "Tab" });
  group.onclick = () => { if (input.value.trim()) sent(input, "planning"); else input.focus(); };
  return made("li", { id: "adding", className: "editing", role: "treeitem" }, input, group);
}

function titleKey(e, input) {
  if (e.isComposing) return;
  const title = input.value.trim(), group = e.key === "Tab" && !e.shiftKey, up = above(input.parentElement);
  if (e.key === "Escape") {
    localStorage.removeItem(draft);
    rowOf(input.parentElement.previousElementSibling ?? up)?.focus();
    input.parentElement.remove();
  } else if (e.key === "Tab" && e.shiftKey && above(up) && !title) {
    e.preventDefault();
    adding(above(up).dataset.id);
  } else if (title && (group || e.key === "Enter")) {
    e.preventDefault();
    sent(input, group ? "planning" : "execution");
  }
}

// sent makes a task, or a group below which one goes on.
function sent(input, type) {
  const title = input.value.trim();
  input.value = "";
  localStorage.removeItem(draft);
  create(input, async ([parentId, after]) => {
    const { nodeId } = await run("node_create", { parentId, title, type, ...(after ? { after } : {}) });
    return type === "planning" ? [nodeId] : [parentId, after && nodeId];
  }, title);
}

// create makes nodes at the place, and goes on where they say. What is typed meanwhile stays; if it fails, the title is
// back before it.
async function create(input, make, title) {
  const next = coming = coming.then(make);
  try {
    const to = await next;
    await refresh();
    if (coming !== next) return; // a further one is on its way
    if (input.isConnected) adding(...to);
    else if (document.activeElement.matches("#tree a")) rowOf(to[1] && inTree(to[1]))?.focus();
  } catch (x) {
    failed(x);
    coming = Promise.resolve(spot);
    input.value = [title, input.value].filter(Boolean).join(" ");
    input.oninput();
  }
}
