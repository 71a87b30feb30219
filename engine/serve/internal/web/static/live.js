// What is drawn again: the page hears of changes, asks for what it shows, and repairs it where it differs.
/* global Idiomorph */
import { $, main, note, say, t, workspace } from "./base.js";
import { back, listen, part, pass } from "./server.js";
import { changedBelow, drafts, resume } from "./edit.js";
import { fill, load, refold } from "./outline.js";

// Things with a data-id are the same thing before and after: they get an id, by which Idiomorph knows them.
function identify(below) {
  for (const e of below.querySelectorAll("[data-id]:not([id])")) e.id = "id-" + e.dataset.id;
}

const ofScript = ["tabindex", "aria-expanded", "aria-selected", "aria-current"]; // of rows: the script sets them
const opened = (e) => e?.matches?.("details[open]");
const callbacks = {
  beforeNodeMorphed(old, now) {
    if (old.nodeType !== Node.ELEMENT_NODE) return true;
    if (old.classList.contains("editing")) { changedBelow(old, now); return false; }
    const written = "#unsaved, input:not([data-line]), select, textarea:not(.source)"; // somebody may be writing there
    if (old.matches(written)) return false;
    const up = old.parentElement;
    if (!opened(up)) return true;
    if (up.dataset.part && old.matches("div")) return false; // load draws it
    return !(old.matches("ul") && (up.pieces || up.dataset.below && now.parentElement?.dataset.below)); // fill does
  },
  beforeNodeRemoved: (old) => !(old.classList?.contains("editing") || old.querySelector?.(".editing")),
  beforeAttributeUpdated: (name, e) =>
    !(name === "open" && e.matches("details") || ofScript.includes(name) && e.matches("#tree a")),
};

// morph makes the content of old that of now and keeps elements that stand for the same thing, so that nothing jumps:
// what is open stays open, and what somebody writes in is left alone.
export function morph(old, now) {
  identify(old);
  identify(now);
  Idiomorph.morph(old, [...now.childNodes], { morphStyle: "innerHTML", callbacks });
}

// Changes of a second are drawn by at most two repaints, and in a tab that nobody sees by one when it is seen again.
const pause = 500;
let last = 0, waits = 0, stale = false;
export function repaint() {
  if (document.hidden) { stale = true; return; }
  if (waits) return;
  waits = setTimeout(draw, Math.max(50, last + pause - performance.now()));
}
async function draw() {
  last = performance.now();
  waits = 0;
  stale = false;
  try { await refresh(); } catch { /* the stream says when the server is there again */ }
}

// refresh draws the view again at once. It is done when the last answer that is on its way is drawn.
let requests = 0, latest;
export const refresh = () => latest = fetched(++requests);
async function fetched(n) {
  const got = await part(location.href);
  if (n !== requests) return latest;
  const node = (below) => $("#beside article", below)?.dataset.node;
  if (node(main) !== node(got)) $("#beside")?.remove(); // of another node nothing stays
  morph(main, got);
  refold();
  if ($("#beside")) resume(); else drafts();
  for (const d of main.querySelectorAll("details[open]")) if (d.pieces || d.dataset.below) await fill(d);
  for (const d of main.querySelectorAll('details[data-part]:not([data-part^="/a"])[open]')) await load(d);
}

// Requests for approvals lie outside of the vault. Each tab shows how many there are, also one in the background.
function waiting(n) {
  document.title = (n ? "(" + n + ") " : "") + document.title.replace(/^\(\d+\) /, "");
  Object.assign($("#waits"), { textContent: n, hidden: !n });
  if (["/", "/approvals"].includes(location.pathname)) repaint();
}

function heard(e) {
  if (e.away) note(t("not connected"), true);
  else if (e.begin) {
    if ($("#live").className) say(""); // it was away, and answers now
    note("");
  }
  if (e.waits !== undefined) waiting(e.waits);
  else if (!e.workspace || e.workspace === workspace || !workspace) repaint();
}

// A stream says every 20 seconds that it lives. One that is silent for longer went with a network or with a night's
// sleep: a new one begins.
let alive = () => {};
function connect() {
  let at = Date.now();
  const stream = new EventSource("/events"), both = (e) => { pass(e); heard(e); };
  const again = () => {
    stream.close();
    alive = () => {};
    both({ away: true });
    setTimeout(connect, 1000);
  };
  alive = () => { if (Date.now() - at > 50000) again(); };
  const on = (name, f) => stream.addEventListener(name, (m) => { at = Date.now(); f(m); });
  on("message", (m) => both(JSON.parse(m.data)));
  on("waits", (m) => both({ waits: JSON.parse(m.data) }));
  on("begin", () => both({ begin: true }));
  on("beat", () => {});
  stream.onerror = async () => {
    both({ away: true });
    if (stream.readyState !== EventSource.CLOSED) return; // else the browser connects again by itself
    await back().catch(() => {}); // a server that was started again knows nobody
    again();
  };
}

// follow hears of changes. All tabs of a browser have one stream: the tab that holds the lock passes on what it hears.
export function follow() {
  listen(heard);
  setInterval(() => alive(), 10000);
  document.addEventListener("visibilitychange", () => { alive(); if (stale) repaint(); });
  navigator.locks.request("arbor-events", () => new Promise(connect));
}
