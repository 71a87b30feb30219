// What goes to the server and comes from it.
import { $, made, t, workspace } from "./base.js";

// The text of the tab goes along with everything that changes something: the cookie alone only reads. A tab without
// one, or with one of an earlier server, asks the other tabs of this origin.
const channel = new BroadcastChannel("arbor"), own = "tab";

// A person of a server for several people is known in this browser until their token is revoked.
const ofPerson = "person";
const mine = () => sessionStorage.getItem(own) || localStorage.getItem(ofPerson);
let hear = () => {};
export const listen = (f) => { hear = f; };
export const pass = (event) => channel.postMessage(event);
channel.onmessage = (m) => {
  const tab = sessionStorage.getItem(own);
  if (m.data.tab) { if (!tab) sessionStorage.setItem(own, m.data.tab); }
  else if (!m.data.want) hear(m.data);
  else if (tab && tab !== m.data.but) channel.postMessage({ tab });
};
async function want(but) {
  sessionStorage.removeItem(own);
  channel.postMessage({ want: true, but });
  for (let n = 0; n < 10 && !sessionStorage.getItem(own); n++) await new Promise((done) => setTimeout(done, 50));
  return sessionStorage.getItem(own);
}

let onReply = () => {};
export const onDone = (f) => { onReply = f; }; // f gets the reply to each operation that worked

const request = (path, how) => fetch(path, how).catch(() => {
  throw new Error(t("The server does not answer. Your text is kept in this browser; try again when it runs."));
});

export async function post(path, body, again) {
  const tab = mine() || await want() || "";
  const headers = { "Content-Type": "application/json", "Arbor-Tab": tab };
  const text = JSON.stringify(body), keepalive = text.length < 2e4; // it arrives also if the page is left now
  const res = await request(path, { method: "POST", headers, body: text, keepalive });
  const out = await res.json();
  if (out.error?.code === "NOT_LOGGED_IN" && !again && await back()) return post(path, body, true);
  if (out.error?.code === "TAB_UNKNOWN" && !again && await want(tab)) return post(path, body, true);
  if (!res.ok) throw Object.assign(new Error(out.error.message), { code: out.error.code });
  onReply(res);
  return out;
}

// run runs an operation of the catalogue.
export function run(operation, args) {
  return post("/do/" + operation, { workspaceId: workspace, ...args });
}

// back logs in again with the tab's secret after the server was started again. If that fails, a bar says so, and the
// page stays as it is, with what is typed on it.
let under;
export const back = () => under ||= (async () => {
  const headers = { "Content-Type": "application/json" };
  const body = JSON.stringify({ tab: mine() || "" });
  const res = await fetch("/login", { method: "POST", headers, body });
  if ($("#away")) $("#away").hidden = res.ok;
  return res.ok;
})().finally(() => { under = null; });

// part returns a part of a page, "main" or another template, as a fragment.
export async function part(address, name = "main", again) {
  const res = await request(address, { headers: { "Arbor-Part": name } });
  if (res.status === 401) {
    if (again || !await back()) throw new Error(t("The server was started again and does not know this browser."));
    return part(address, name, true);
  }
  const box = made("template");
  box.innerHTML = await res.text();
  return box.content;
}

// login takes the token out of the address before anything else sees it.
export async function login() {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (!token) return;
  history.replaceState(null, "", location.pathname + location.search);
  sessionStorage.setItem(own, "none"); // nobody need be asked for one to log in
  const { tab, keep } = await post("/login", { token });
  sessionStorage.setItem(own, tab);
  if (keep) localStorage.setItem(ofPerson, tab);
  location.reload();
}

// again logs in a browser that keeps a person's token. It does so once for each tab, in case cookies are blocked.
export async function again() {
  if (!localStorage.getItem(ofPerson) || sessionStorage.getItem("tried")) return;
  sessionStorage.setItem("tried", "1");
  if (await back()) location.reload();
}
export const forget = () => sessionStorage.removeItem(own);
