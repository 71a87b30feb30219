// The script of the page: it logs in, repaints what changed, and sends what people do to the operations of the catalogue.
"use strict";
(() => {
  const $ = (what, below = document) => below.querySelector(what);
  const main = $("#main");
  const workspace = document.body.dataset.workspace;

  function say(text) {
    const p = $("#said");
    if (!p) return;
    p.textContent = text;
    p.hidden = !text;
  }

  async function post(path, body) {
    const res = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
    const out = res.status === 204 ? {} : await res.json();
    if (!res.ok) throw Object.assign(new Error(out.error.message), { code: out.error.code });
    return out;
  }

  // login takes the token out of the address before anything else sees it.
  async function login() {
    const token = new URLSearchParams(location.hash.slice(1)).get("token");
    if (!token) return;
    history.replaceState(null, "", location.pathname + location.search);
    await post("/login", { token });
    location.reload();
  }
  if (document.body.dataset.shell !== undefined) {
    login().catch((e) => { $("main").append(Object.assign(document.createElement("p"), { className: "bad", textContent: e.message })); });
    return;
  }
  if (location.hash.startsWith("#token=")) history.replaceState(null, "", location.pathname + location.search);

  const part = async (address, name) => {
    const res = await fetch(address, { headers: { "Arbor-Part": name } });
    if (res.status === 401) location.reload();
    const t = document.createElement("template");
    t.innerHTML = await res.text();
    return t.content;
  };
  const keyOf = (e) => e.dataset?.id || e.id || "";

  // morph makes old what is new and keeps elements that stand for the same thing, so that nothing jumps: what is open
  // stays open, and what somebody writes in is left alone.
  function morph(old, now) {
    const kept = new Map();
    for (const e of old.children) if (keyOf(e)) kept.set(keyOf(e), e);
    let at = old.firstChild;
    for (const n of [...now.childNodes]) {
      let o = keyOf(n) ? kept.get(keyOf(n)) : at;
      if (!o || o.nodeName !== n.nodeName || keyOf(o) !== keyOf(n)) o = null;
      if (!o) { old.insertBefore(n, at); continue; }
      if (o !== at) old.insertBefore(o, at); else at = at.nextSibling;
      if (o.nodeType === Node.TEXT_NODE) { if (o.data !== n.data) o.data = n.data; continue; }
      if (o.nodeType !== Node.ELEMENT_NODE) continue;
      if (o.classList.contains("editing")) { changedBelow(o, n); continue; }
      if (o.matches("input, select") || o === document.activeElement && o.matches("textarea")) continue;
      for (const a of [...n.attributes]) if (a.name !== "open" && o.getAttribute(a.name) !== a.value) o.setAttribute(a.name, a.value);
      if (o.dataset.below && o.open && n.dataset.below) { morph($("summary", o), $("summary", n)); continue; }
      morph(o, n);
    }
    while (at) { const next = at.nextSibling; if (!at.classList?.contains("editing")) at.remove(); at = next; }
  }

  let waits;
  function repaint() {
    clearTimeout(waits);
    waits = setTimeout(async () => {
      try {
        morph(main, await part(location.href, "main"));
        for (const d of main.querySelectorAll("details[data-below][open]")) await fill(d);
      } catch { /* the stream says when the server is there again */ }
    }, 100);
  }

  // One stream for all pages of the browser: who holds the lock passes on what it hears.
  const channel = new BroadcastChannel("arbor");
  const heard = (e) => { if (!e.workspace || e.workspace === workspace) repaint(); };
  channel.onmessage = (m) => heard(m.data);
  navigator.locks.request("arbor-events", () => new Promise(() => {
    const stream = new EventSource("/events");
    const both = (e) => { channel.postMessage(e); heard(e); };
    stream.onmessage = (m) => both(JSON.parse(m.data));
    stream.addEventListener("begin", () => { $("#live").textContent = ""; both({}); });
    stream.onerror = () => { $("#live").textContent = "not connected"; };
  }));

  // Folded parts of the plan come when they are opened.
  async function fill(d) {
    const got = await part("/plan?ws=" + encodeURIComponent(workspace) + "&below=" + encodeURIComponent(d.dataset.below), "tree");
    const below = $("li > details > ul", got);
    if (below) morph($("ul", d), below);
  }
  document.addEventListener("toggle", (e) => { if (e.target.dataset?.below && e.target.open) fill(e.target).catch((x) => say(x.message)); }, true);

  document.addEventListener("keydown", (e) => {
    if (e.target.matches("input, textarea, select") || e.ctrlKey || e.metaKey || e.altKey) return;
    if (e.key === "/" && $("#filter")) { e.preventDefault(); $("#filter").focus(); return; }
    const tree = $("#tree");
    if (!tree || !["ArrowDown", "ArrowUp", "ArrowLeft", "ArrowRight"].includes(e.key)) return;
    const links = [...tree.querySelectorAll("a")].filter((a) => a.offsetParent);
    const i = links.indexOf(document.activeElement), d = document.activeElement.closest?.("summary")?.parentElement;
    if (e.key === "ArrowLeft" && d) d.open = false;
    else if (e.key === "ArrowRight" && d) d.open = true;
    else if (e.key === "ArrowDown") links[Math.min(i + 1, links.length - 1)]?.focus();
    else if (e.key === "ArrowUp") links[Math.max(i - 1, 0)]?.focus();
    e.preventDefault();
  });
  $("#workspace")?.addEventListener("change", (e) => { location.href = "/?ws=" + encodeURIComponent(e.target.value); });

  // Drafts are kept in the browser until what they say is saved.
  const node = () => $("article[data-node]", main)?.dataset;
  const draftOf = (field) => "draft " + workspace + " " + node().node + " " + field;

  function edit(section, draft) {
    const field = section.dataset.field, box = document.createElement("form"), area = document.createElement("textarea");
    const source = $(".source", section).value;
    const base = draft ? draft.base : source;
    area.value = draft ? draft.text : source;
    area.rows = Math.min(24, area.value.split("\n").length + 4);
    area.setAttribute("aria-label", $("h2", section).textContent);
    box.innerHTML = '<p class="row"><button class="first">Save</button><button type="button">Discard</button></p>';
    box.prepend(area);
    section.classList.add("editing");
    section.lastElementChild.hidden = true;
    section.append(box);
    const keep = () => localStorage.setItem(draftOf(field), JSON.stringify({ base, text: area.value }));
    area.addEventListener("input", keep);
    const end = () => { localStorage.removeItem(draftOf(field)); section.classList.remove("editing"); box.remove(); section.lastElementChild.hidden = false; repaint(); };
    $("[type=button]", box).addEventListener("click", end);
    box.addEventListener("submit", async (e) => {
      e.preventDefault();
      keep();
      try {
        // What is in the file now decides: another text than the one that this edit began with is shown, not replaced.
        const fresh = await part(location.href, "main");
        const theirs = $('[data-field="' + field + '"] .source', fresh).value;
        if (theirs !== base && box.dataset.seen !== theirs) { conflict(box, theirs); return; }
        await post("/do/node_update", { workspaceId: workspace, nodeId: node().node, [field]: area.value, ifMatch: $("article", fresh).dataset.version });
        say("");
        end();
      } catch (x) { say(x.message); }
    });
    if (source !== base) conflict(box, source);
    area.focus();
  }

  // conflict shows what the file says now beside what is being written; saving after that is a decision.
  function conflict(box, theirs) {
    let note = $(".theirs", box);
    if (!note) {
      note = document.createElement("div");
      note.className = "theirs";
      note.innerHTML = '<p class="bad" role="alert">This text was changed elsewhere meanwhile. It says now:</p><pre></pre><p>Put into yours what you want to keep of it; Save writes yours.</p>';
      box.prepend(note);
    }
    $("pre", note).textContent = theirs;
    box.dataset.seen = theirs;
  }
  function changedBelow(section, now) {
    const theirs = $(".source", now)?.value, box = $("form", section);
    if (theirs === undefined || theirs === $(".source", section).value) return;
    $(".source", section).value = theirs;
    conflict(box, theirs);
  }
  for (const section of node() ? main.querySelectorAll("section[data-field]") : []) {
    const draft = localStorage.getItem(draftOf(section.dataset.field));
    if (draft) edit(section, JSON.parse(draft));
  }

  function ask(title, label) {
    const dialog = $("#ask");
    $("#ask-title").textContent = title;
    $("#ask-label").textContent = label;
    $("#ask-text").value = localStorage.getItem("draft ask " + title) || "";
    $("#ask-text").oninput = (e) => localStorage.setItem("draft ask " + title, e.target.value);
    dialog.returnValue = "no";
    dialog.showModal();
    return new Promise((done) => { dialog.onclose = () => done(dialog.returnValue === "yes" ? $("#ask-text").value : null); });
  }

  main.addEventListener("click", async (e) => {
    const b = e.target.closest("button");
    if (!b) return;
    try {
      if (b.dataset.edit) edit(b.closest("section"));
      else if (b.dataset.action) {
        const args = { workspaceId: workspace, nodeId: node().node, action: b.dataset.action };
        let title = "";
        if (["complete", "fail", "cancel"].includes(b.dataset.action)) {
          title = b.textContent + ": " + $("h1", main).textContent;
          const conclusion = await ask(title, "The conclusion: what came of it");
          if (conclusion === null) return;
          if (conclusion) args.conclusion = conclusion;
        }
        await post("/do/node_transition", args);
        localStorage.removeItem("draft ask " + title);
        repaint();
      } else if (b.dataset.do) { await post("/do/" + b.dataset.do, { id: b.dataset.request }); repaint(); }
      else if (b.id === "repair") { await post("/do/workspace_check", { fix: true }); repaint(); }
      else return;
      say("");
    } catch (x) { say(x.message); }
  });
  main.addEventListener("submit", async (e) => {
    if (e.target.id !== "log") return;
    e.preventDefault();
    try {
      await post("/do/log_append", { workspaceId: workspace, nodeId: node().node, event: e.target.event.value });
      e.target.reset();
      say("");
      repaint();
    } catch (x) { say(x.message); }
  });
})();
