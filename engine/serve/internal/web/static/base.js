// What all modules of the page share: finding and making elements, words, and what is said to the person.
export const $ = (what, below = document) => below.querySelector(what);
export const main = $("#main");
export const workspace = document.body.dataset.workspace;
const words = JSON.parse(document.body.dataset.words || "{}");
export const t = (english) => words[english] || english;
export const made = (name, props = {}, ...below) => {
  const e = Object.assign(document.createElement(name), props);
  e.append(...below);
  return e;
};
export const withWorkspace = (path) => path + (path.includes("?") ? "&" : "?") + "ws=" + encodeURIComponent(workspace);

const lasts = 8000; // milliseconds that a message is shown

// say shows an error until it is closed or another operation works.
export function say(text) {
  const p = $("#said"), close = made("button", { className: "quiet", textContent: "×", ariaLabel: t("Close") });
  if (!p) return;
  close.onclick = () => { p.hidden = true; };
  p.replaceChildren(text, " ", close);
  p.hidden = !text;
  if (text) $("#did").hidden = true; // they have one place
}
export const failed = (x) => say(x.message);

// note tells a screen reader for eight seconds, and shows beside the connection. What stays is said until the next one.
let noted;
export function note(text, stays) {
  clearTimeout(noted);
  $("#live").textContent = text;
  $("#live").className = stays ? "bad" : "";
  if (text && !stays) noted = setTimeout(note, lasts, "");
}

// did says for eight seconds what an operation did, and offers to undo it. back is called by the button.
let didFor;
export function did(text, back) {
  const box = $("#did"), undo = made("button", { className: "quiet", textContent: t("Undo") });
  clearTimeout(didFor);
  undo.onclick = () => { box.hidden = true; back(); };
  box.replaceChildren(made("span", { textContent: text }), ...(back ? [" ", undo] : []));
  say("");
  box.hidden = false;
  didFor = setTimeout(() => { box.hidden = true; }, lasts);
}
