// The script of the page: it logs in, repaints what changed, and sends what people do to the operations of the catalogue.
"use strict";
(() => {
  const $ = (what, below = document) => below.querySelector(what);
  const main = $("#main");
  const workspace = document.body.dataset.workspace;
  const words = JSON.parse(document.body.dataset.words || "{}");
  const t = (english) => words[english] || english;
  const made = (name, props = {}, ...below) => { const e = Object.assign(document.createElement(name), props); e.append(...below); return e; };

  function say(text) {
    const p = $("#said");
    if (!p) return;
    p.replaceChildren(text, " ", made("button", { className: "quiet", textContent: "×", ariaLabel: t("Close"), onclick: () => { p.hidden = true; } }));
    p.hidden = !text;
  }
  function note(text) { $("#live").textContent = text; }

  // did says for eight seconds what an operation did, and offers to undo it. back is called by the button.
  let didFor, lastUndo = "";
  function did(text, back) {
    const box = $("#did");
    clearTimeout(didFor);
    box.replaceChildren(made("span", { textContent: text }));
    if (back) box.append(" ", made("button", { className: "quiet", textContent: t("Undo"), onclick: () => { box.hidden = true; back(); } }));
    box.hidden = false;
    didFor = setTimeout(() => { box.hidden = true; }, 8000);
  }
  const undo = (id) => post("/do/undo", { operation: id }).then(() => { lastUndo = ""; repaint(); }).catch((x) => say(x.message));
  function told(res) {
    const text = decodeURIComponent(res.headers.get("Arbor-Did") || ""), id = res.headers.get("Arbor-Undo");
    if (!text) return;
    lastUndo = id || "";
    sessionStorage.setItem("did", JSON.stringify({ text, id, at: Date.now() })); // the next page says it, if this one is left
    did(text, id && (() => undo(id)));
  }

  // The text of the tab goes along with everything that changes something: the cookie alone only reads. A tab without
  // one, or with one of an earlier server, asks the other tabs of this origin.
  const channel = new BroadcastChannel("arbor"), own = "tab";
  let hear = () => {};
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

  async function post(path, body, again) {
    const tab = sessionStorage.getItem(own) || await want() || "";
    const headers = { "Content-Type": "application/json", "Arbor-Tab": tab };
    const res = await fetch(path, { method: "POST", headers, body: JSON.stringify(body) })
      .catch(() => { throw new Error(t("The server does not answer. Your text is kept in this browser; try again when it runs.")); });
    const out = await res.json();
    if (out.error?.code === "NOT_LOGGED_IN" && !again && await back()) return post(path, body, true);
    if (out.error?.code === "TAB_UNKNOWN" && !again && await want(tab)) return post(path, body, true);
    if (res.ok) told(res);
    if (!res.ok) throw Object.assign(new Error(out.error.message), { code: out.error.code });
    return out;
  }
  async function run(operation, args) {
    const out = await post("/do/" + operation, { workspaceId: workspace, ...args });
    if (out.warnings) note(out.warnings.join("; "));
    return out;
  }

  // once submits a form. A second press while that is under way sends nothing.
  const submitting = new WeakSet();
  async function once(form, submit) {
    if (submitting.has(form)) return;
    submitting.add(form);
    try { await submit(); } catch (x) { say(x.message); } finally { submitting.delete(form); }
  }

  // back logs in again with the tab's secret after the server was started again. If that fails, a bar says so, and the
  // page stays as it is, with what is typed on it.
  let under;
  const back = () => under ||= (async () => {
    const res = await fetch("/login", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ tab: sessionStorage.getItem(own) || "" }) });
    $("#away").hidden = res.ok;
    return res.ok;
  })().finally(() => { under = null; });

  // login takes the token out of the address before anything else sees it.
  async function login() {
    const token = new URLSearchParams(location.hash.slice(1)).get("token");
    if (!token) return;
    history.replaceState(null, "", location.pathname + location.search);
    sessionStorage.setItem(own, "none"); // nobody need be asked for one to log in
    sessionStorage.setItem(own, (await post("/login", { token })).tab);
    location.reload();
  }
  if (document.body.dataset.shell !== undefined) {
    sessionStorage.removeItem(own);
    const enter = () => login().catch((e) => $("main").append(made("p", { className: "bad", textContent: e.message })));
    window.addEventListener("hashchange", enter); // the address was pasted into this tab
    enter();
    return;
  }
  if (location.hash.startsWith("#token=")) history.replaceState(null, "", location.pathname + location.search);

  // What is drawn again

  const part = async (address, name = "main", again) => {
    const res = await fetch(address, { headers: { "Arbor-Part": name } });
    if (res.status === 401) {
      if (again || !await back()) throw new Error(t("The server was started again and does not know this browser."));
      return part(address, name, true);
    }
    const t = document.createElement("template");
    t.innerHTML = await res.text();
    return t.content;
  };
  const keyOf = (e) => e.dataset?.id || e.id || "";
  const busy = (e) => e.classList?.contains("editing") || e.matches?.("[data-part][open] > div");

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
      if (busy(o) || o.matches("input, select") || o.matches("textarea:not(.source)")) continue;
      for (const a of [...o.attributes]) if (a.name !== "open" && !n.hasAttribute(a.name)) o.removeAttribute(a.name);
      for (const a of [...n.attributes]) if (a.name !== "open" && o.getAttribute(a.name) !== a.value) o.setAttribute(a.name, a.value);
      if (o.open && (o.pieces || o.dataset.below && n.dataset.below)) { morph($("summary", o), $("summary", n)); continue; }
      morph(o, n);
    }
    while (at) { const next = at.nextSibling; if (!busy(at) && !(at.querySelector && $(".editing", at))) at.remove(); at = next; }
  }

  let waits;
  function repaint() {
    clearTimeout(waits);
    waits = setTimeout(async () => {
      try {
        morph(main, await part(location.href));
        for (const d of main.querySelectorAll("details[open]")) if (d.pieces || d.dataset.below) await fill(d);
        for (const d of main.querySelectorAll("details[data-part][open]")) await load(d);
      } catch { /* the stream says when the server is there again */ }
    }, 100);
  }

  // One stream for all pages of the browser: who holds the lock passes on what it hears.
  const heard = (e) => { if (e.waits !== undefined) waiting(e.waits); else if (!e.workspace || e.workspace === workspace || !workspace) repaint(); };
  hear = heard;
  navigator.locks.request("arbor-events", () => new Promise(() => {
    const stream = new EventSource("/events");
    const both = (e) => { channel.postMessage(e); heard(e); };
    stream.onmessage = (m) => both(JSON.parse(m.data));
    stream.addEventListener("waits", (m) => both({ waits: JSON.parse(m.data) }));
    stream.addEventListener("begin", () => { note(""); both({}); });
    stream.onerror = () => { note(t("not connected")); repaint(); }; // a server that was started again knows nobody
  }));

  // Requests for approvals lie outside of the vault. Each tab shows how many there are, also one in the background.
  const waiting = (n) => {
    document.title = (n ? "(" + n + ") " : "") + document.title.replace(/^\(\d+\) /, "");
    Object.assign($("#waits"), { textContent: n, hidden: !n });
    if (location.pathname === "/approvals") repaint();
  };

  // Folded parts of the plan, and what a node has besides its file, come when they are opened; of many nodes, a piece at a time.
  async function fill(d) {
    const all = made("ul");
    let more = null;
    for (let i = d.pieces || 1; i > 0; i--) {
      const got = await part("/plan?ws=" + encodeURIComponent(workspace) + "&below=" + encodeURIComponent(d.closest("li").dataset.id) +
        (more ? "&cursor=" + encodeURIComponent(more.dataset.more) : ""), "tree");
      all.append(...($("li > details > ul", got)?.childNodes || []));
      more = $("[data-more]", got);
      if (!more) break;
    }
    if (d.pieces && d.matches("#tree > li > details")) $("#tree > li > [data-more]")?.parentNode.remove();
    if (more) all.append(more.parentNode);
    if (all.firstChild) morph($("ul", d), all);
  }
  async function load(d) {
    const budget = $("[name=budget]", d)?.value || "";
    const got = await part(d.dataset.part + "?ws=" + encodeURIComponent(workspace) + "&budget=" + budget);
    const box = $("div", d), old = $("[name=budget]", d);
    if (!old) { box.replaceChildren(got); return; }
    for (const e of [...box.children]) if (!e.contains(old)) e.remove();
    $("output", box).textContent = $("output", got)?.textContent || "";
    $("form", got)?.remove();
    box.append(got);
  }
  document.addEventListener("toggle", (e) => {
    if (!e.target.open) return;
    if (e.target.dataset?.below) fill(e.target).catch((x) => say(x.message));
    if (e.target.dataset?.part) load(e.target).catch((x) => say(x.message));
  }, true);
  main.addEventListener("input", (e) => { if (e.target.name === "budget") load(e.target.closest("details")).catch((x) => say(x.message)); });

  // Keys

  const rowOf = (li) => li?.querySelector(":scope > .leaf a");
  const above = (li) => li.parentElement.closest("li[data-id]");
  async function shift(li, key) {
    const up = above(li), before = li.previousElementSibling, after = li.nextElementSibling, id = li.dataset.id;
    if (!up) return;
    let args;
    if (key === "ArrowUp" && before) args = { newParentId: up.dataset.id, before: before.dataset.id };
    else if (key === "ArrowDown" && after) args = { newParentId: up.dataset.id, after: after.dataset.id };
    else if (key === "ArrowRight" && before) args = { newParentId: before.dataset.id };
    else if (key === "ArrowLeft" && above(up)) args = { newParentId: above(up).dataset.id, after: up.dataset.id };
    else return;
    await move(id, args);
  }
  async function move(id, args) {
    await run("node_move", { nodeId: id, ...args });
    say("");
    const now = await part(location.href);
    morph(main, now);
    for (let d = $('[data-id="' + CSS.escape(id) + '"]')?.parentElement.closest("details"); d; d = d.parentElement.closest("details")) d.open = true;
    rowOf($('#tree [data-id="' + CSS.escape(id) + '"]'))?.focus();
    note(t("moved"));
  }
  document.addEventListener("keydown", (e) => {
    if (e.key === "Enter" && (e.ctrlKey || e.metaKey) && e.target.matches("textarea")) { const f = e.target.form; f?.requestSubmit($("button:not([type=button])", f)); return; }
    if (e.target.matches("input, textarea, select") || $("dialog[open]")) return;
    if (e.key === "z" && (e.ctrlKey || e.metaKey) && lastUndo) { e.preventDefault(); undo(lastUndo); return; }
    if (e.ctrlKey || e.metaKey) return;
    if (e.key === "?") { $("#keys").showModal(); return; }
    if (e.key === "/") {
      e.preventDefault();
      if ($("#filter")) $("#filter").focus();
      else location.href = "/search?ws=" + encodeURIComponent(workspace);
      return;
    }
    const tree = $("#tree");
    if (tree && e.key === "n") {
      const at = document.activeElement.closest?.("#tree li[data-id]"), b = at && $(":scope > .leaf [data-add]", at) || at && above(at) && $(":scope > .leaf [data-add]", above(at)) || $("[data-add]");
      if (b) { e.preventDefault(); adding(b.dataset.add === "root" ? $("#tree > li").dataset.id : b.dataset.add); }
      return;
    }
    if (!tree || !e.key.startsWith("Arrow")) return;
    const li = document.activeElement.closest?.("#tree li[data-id]");
    if (!li && document.activeElement !== document.body && document.activeElement !== main) return;
    e.preventDefault();
    if (e.altKey) { if (li) shift(li, e.key).catch((x) => say(x.message)); return; }
    const rows = [...tree.querySelectorAll("li[data-id]")].filter((x) => rowOf(x)?.offsetParent);
    const i = rows.indexOf(li), d = li && $(":scope > details", li);
    if (e.key === "ArrowDown") rowOf(rows[Math.min(i + 1, rows.length - 1)])?.focus();
    else if (e.key === "ArrowUp") rowOf(rows[Math.max(i - 1, 0)])?.focus();
    else if (e.key === "ArrowRight" && d) { if (d.open) rowOf($("li", d))?.focus(); else d.open = true; }
    else if (e.key === "ArrowLeft" && li) { if (d?.open) d.open = false; else rowOf(above(li))?.focus(); }
  });
  $("#help").addEventListener("click", () => $("#keys").showModal());
  $("#workspace")?.addEventListener("change", (e) => { location.href = location.pathname.replace(/^\/(node|slot|session|state)\/.*/, "/") + "?ws=" + encodeURIComponent(e.target.value); });

  // Adding in the outline: Enter adds a task and goes on, Tab adds a group and goes on below it, Shift+Tab goes on one
  // level up, Escape ends. Several lines that are pasted become an outline.
  function adding(parent) {
    $("#adding")?.remove();
    const li = $('#tree [data-id="' + CSS.escape(parent) + '"]'), d = li && $(":scope > details", li);
    if (!li) return;
    if (d) d.open = true;
    let list = $(":scope > details > ul, :scope > ul", li);
    if (!list) li.append(list = made("ul"));
    const input = made("input", { placeholder: t("Title"), ariaLabel: t("Add below") + ": " + rowOf(li).textContent });
    list.append(made("li", { id: "adding", className: "editing" }, input));
    let busy = false;
    const draft = "draft add " + workspace;
    input.value = localStorage.getItem(draft) ?? "";
    input.oninput = () => localStorage.setItem(draft, input.value);
    const add = async (make, into) => {
      if (busy) return;
      busy = true;
      try {
        const next = into(await make());
        localStorage.removeItem(draft);
        morph(main, await part(location.href));
        adding(next);
      } catch (x) { say(x.message); busy = false; }
    };
    input.onpaste = (e) => {
      const text = e.clipboardData.getData("text");
      if (!text.trim().includes("\n")) return;
      e.preventDefault();
      add(() => post("/outline", { workspaceId: workspace, into: parent, text }), () => parent);
    };
    input.onkeydown = (e) => {
      if (e.isComposing) return;
      const title = input.value.trim(), group = e.key === "Tab" && !e.shiftKey;
      if (e.key === "Escape") { localStorage.removeItem(draft); input.closest("li").remove(); rowOf(li)?.focus(); }
      else if (e.key === "Tab" && e.shiftKey && above(li) && !title) { e.preventDefault(); adding(above(li).dataset.id); }
      else if (title && (group || e.key === "Enter")) {
        e.preventDefault();
        e.stopPropagation();
        add(() => run("node_create", { parentId: parent, title, type: group ? "planning" : "execution" }), (out) => group ? out.nodeId : parent);
      }
    };
    input.focus();
  }

  // Dragging: in the outline a node goes before, after or below another one; on the board it gets another status.
  let dragged = null;
  const target = (e) => dragged && e.target.closest?.(".column, #tree [draggable]");
  function place(e, over) {
    if (over.matches(".column")) return "into";
    const box = over.getBoundingClientRect(), at = (e.clientY - box.top) / box.height;
    return at < 0.3 ? "before" : at > 0.7 ? "after" : "into";
  }
  const unmark = () => { for (const e of document.querySelectorAll("[data-drop]")) delete e.dataset.drop; };
  main.addEventListener("dragstart", (e) => {
    const row = e.target.closest?.("[draggable=true]");
    if (!row) return;
    dragged = row.closest("[data-id]");
    e.dataTransfer.effectAllowed = "move";
    e.dataTransfer.setData("text/plain", dragged.dataset.id);
  });
  main.addEventListener("dragover", (e) => {
    const over = target(e);
    unmark();
    if (!over) return;
    e.preventDefault();
    over.dataset.drop = place(e, over);
  });
  main.addEventListener("dragend", () => { unmark(); dragged = null; });
  main.addEventListener("drop", async (e) => {
    const over = target(e), moved = dragged;
    dragged = null;
    unmark();
    if (!over) return;
    e.preventDefault();
    try {
      if (over.matches(".column")) { await become(moved, over.dataset.status); return; }
      const li = over.closest("li[data-id]"), how = place(e, over);
      if (li === moved) return;
      const args = how === "into" || !above(li) ? { newParentId: li.dataset.id } : { newParentId: above(li).dataset.id, [how]: li.dataset.id };
      await move(moved.dataset.id, args);
    } catch (x) { say(x.message); }
  });
  async function become(card, status) {
    const to = JSON.parse(card.dataset.to);
    if (card.closest(".column").dataset.status === status) return;
    if (!to[status]) throw new Error(t("The life cycle does not allow that. From here a node can become:") + " " + (Object.keys(to).map(t).join(", ") || "–"));
    await act(card.dataset.id, to[status], $("a", card).textContent);
  }

  // Questions. What is answered is kept in the browser until it is sent.

  // ask returns what was filled in, by name; null where it was given up.
  function ask(title, fields) {
    const dialog = $("#ask-form").content.firstElementChild.cloneNode(true), box = $("#ask-fields", dialog), draft = (f) => "draft ask " + title + " " + f.name;
    $("#ask-title", dialog).textContent = title;
    document.body.append(dialog);
    box.replaceChildren(...fields.map((f) => {
      if (f.text) return made("p", { textContent: f.text });
      if (Array.isArray(f.list)) return made("ol", {}, ...f.list.map((x) => made("li", { textContent: x })));
      const input = f.options ? made("select", {}, ...f.options.map((o) => made("option", { value: o, textContent: t(o) })))
        : made(f.rows ? "textarea" : "input", f.rows ? { rows: f.rows } : {});
      input.name = f.name;
      input.required = !!f.required;
      input.value = localStorage.getItem(draft(f)) ?? f.value ?? (f.options ? f.options[0] : "");
      input.addEventListener("input", () => localStorage.setItem(draft(f), input.value));
      return made("label", { textContent: f.label + " " }, input);
    }));
    dialog.returnValue = "no";
    dialog.showModal();
    return new Promise((done) => {
      dialog.onclose = () => {
        dialog.remove();
        if (dialog.returnValue !== "yes") { done(null); return; }
        const out = {};
        for (const f of fields) if (f.name) out[f.name] = $('[name="' + CSS.escape(f.name) + '"]', box).value;
        const drafts = (act) => { for (const f of fields) if (f.name) act(draft(f), out[f.name]); };
        done({ out, sent: () => drafts((key) => localStorage.removeItem(key)), kept: () => drafts((key, text) => localStorage.setItem(key, text)) });
      };
    });
  }
  // send asks, and runs the operation with the answers.
  async function send(title, fields, operation, args) {
    const answer = await ask(title, fields);
    if (!answer) return null;
    answer.sent(); // a second dialog begins empty while this one is on its way
    const given = { ...answer.out };
    try {
      const out = await run(operation, { ...(typeof args === "function" ? args(given) : { ...given, ...args }) });
      repaint();
      return out;
    } catch (x) { answer.kept(); throw x; }
  }
  async function act(id, action, title) {
    if (["complete", "fail", "cancel", "drop"].includes(action)) {
      const fields = [{ name: "conclusion", label: t("Conclusion: the result"), rows: 6 }];
      await send(t(action) + ": " + title, fields, "node_transition", (o) => ({ nodeId: id, action, ...(o.conclusion ? o : {}) }));
      return;
    }
    await run("node_transition", { nodeId: id, action });
    repaint();
  }

  // Edits in place. Drafts are kept in the browser until what they say is saved.

  const node = () => $("article[data-node]", main)?.dataset;
  const draftOf = (field) => "draft " + workspace + " " + node().node + " " + field;

  function edit(section, draft) {
    const field = section.dataset.field, box = made("form"), area = made("textarea");
    const source = $(".source", section).value;
    let base = draft ? draft.base : source;
    area.value = draft ? draft.text : source;
    area.rows = Math.min(24, area.value.split("\n").length + 4);
    area.setAttribute("aria-label", $("h2", section).textContent);
    const discard = made("button", { type: "button", textContent: t("Discard") });
    box.append(area, made("p", { className: "row" }, made("button", { className: "first", textContent: t("Save") }), discard));
    section.classList.add("editing");
    $("[data-edit]", section).hidden = true;
    section.append(box);
    const keep = () => { localStorage.setItem(draftOf(field), JSON.stringify({ base, text: area.value, title: $("h1", main).textContent })); drafts(); };
    box.rebase = (text, onto) => { base = onto; area.value = text; keep(); };
    box.base = () => base;
    area.addEventListener("input", keep);
    const end = () => {
      localStorage.removeItem(draftOf(field));
      drafts();
      section.classList.remove("editing");
      box.remove();
      $("[data-edit]", section).hidden = false;
      $("[data-edit]", section).focus();
      repaint();
    };
    discard.addEventListener("click", () => {
      const left = { base, text: area.value };
      end();
      did(t("Discarded"), () => edit(section, left));
    });
    box.addEventListener("submit", (e) => {
      e.preventDefault();
      keep();
      once(box, async () => {
        for (let tries = 1; ; tries++) {
          // What is in the file now decides: another text than the one that this edit began with is shown, not replaced.
          const fresh = await part(location.href);
          const theirs = $('[data-field="' + field + '"] .source', fresh).value;
          if (theirs !== base && box.dataset.seen !== theirs) { conflict(box, theirs); return; }
          try {
            await run("node_update", { nodeId: node().node, [field]: area.value, ifMatch: $("article", fresh).dataset.version });
            break;
          } catch (x) { if (x.code !== "CONFLICT" || tries === 5) throw x; }
        }
        say("");
        note(t("saved"));
        end();
      });
    });
    if (source !== base) conflict(box, source);
    area.focus();
  }

  // drafts lists the nodes of this workspace that have unsaved texts.
  function drafts() {
    const of = new Map(), start = "draft " + workspace + " ";
    for (const key of Object.keys(localStorage)) {
      if (!key.startsWith(start)) continue;
      const id = key.slice(start.length).split(" ")[0];
      of.set(id, JSON.parse(localStorage.getItem(key)).title || id);
    }
    $("#drafts").hidden = !of.size;
    $("#drafts summary").textContent = t("Drafts") + " " + of.size;
    $("#drafts ul").replaceChildren(...[...of].map(([id, title]) => made("li", {}, made("a", { href: "/node/" + id + "?ws=" + encodeURIComponent(workspace), textContent: title }))));
  }
  drafts();
  const before = JSON.parse(sessionStorage.getItem("did") || "null");
  sessionStorage.removeItem("did");
  if (before && Date.now() - before.at < 8000) { lastUndo = before.id || ""; did(before.text, before.id && (() => undo(before.id))); }

  // conflict shows what the file says now beside what is being written; saving after that is a decision.
  function conflict(box, theirs) {
    let shown = $(".theirs", box);
    if (!shown) {
      const both = made("button", { type: "button", textContent: t("Merge both") });
      shown = made("div", { className: "theirs" }, made("p", { className: "bad", textContent: t("This text was changed elsewhere. It now says:") }), made("pre", { tabIndex: 0 }),
        made("p", { className: "row" }, both, made("span", { className: "faint", textContent: t("Save writes the text below.") })));
      shown.firstChild.setAttribute("role", "alert");
      both.addEventListener("click", async () => {
        try {
          const out = await post("/join", { base: box.base(), ours: $("textarea", box).value, theirs: box.dataset.seen });
          box.rebase(out.text, box.dataset.seen);
          const said = out.both ? t("Places where both changed the same lines (yours come first):") + " " + out.both : t("Both are below. Read it and save.");
          shown.replaceChildren(made("p", { textContent: said }));
          shown.firstChild.setAttribute("role", "status");
        } catch (x) { say(x.message); }
      });
      box.prepend(shown);
    }
    if ($("pre", shown)) $("pre", shown).textContent = theirs;
    else { shown.remove(); conflict(box, theirs); return; }
    box.dataset.seen = theirs;
  }
  function changedBelow(section, now) {
    const theirs = $(".source", now)?.value, source = $(".source", section);
    if (theirs === undefined || theirs === source.value) return;
    source.value = theirs;
    conflict($("form", section), theirs);
  }
  for (const section of node() ? main.querySelectorAll("section[data-field]") : []) {
    const draft = localStorage.getItem(draftOf(section.dataset.field));
    if (draft) edit(section, JSON.parse(draft));
  }
  for (const e of main.querySelectorAll("[data-draft]")) e.value = localStorage.getItem("draft " + e.dataset.draft) ?? e.value;
  main.addEventListener("input", (e) => { if (e.target.dataset.draft) localStorage.setItem("draft " + e.target.dataset.draft, e.target.value); });
  const sent = (form) => { for (const e of form.querySelectorAll("[data-draft]")) localStorage.removeItem("draft " + e.dataset.draft); form.reset(); };

  // properties are the fields and own keys of the node, or the fields of one that is new. changed leaves out those that stay as they are.
  const properties = (anew) => {
    const all = JSON.parse(node().fields);
    if (anew) return all.filter((f) => !f.key).map((f) => ({ ...f, value: "" }));
    return [...all, { name: "newKey", label: t("Another key") }, { name: "newValue", label: t("Its value") },
      { name: "newKeys", label: t("Allow a key that looks like a known one"), options: ["", "true"] }];
  };
  const changed = (out, fields) => {
    const key = out.newKey?.trim();
    for (const f of fields) {
      const value = out[f.name];
      if (f.key || f.name.startsWith("new")) delete out[f.name];
      if (f.key && value !== f.value) {
        if (f.list) out.fields = { ...out.fields, [f.key]: value ? rulesOf(value) : null };
        else out.set = [...(out.set ?? []), f.key + "=" + value];
      } else if (f.name === "newKeys" && key && value) out.newKeys = true;
      else if (f.name === "newValue" && (key || value)) out.set = [...(out.set ?? []), key + "=" + value];
      else if (f.key || f.name.startsWith("new")) continue;
      else if (value === f.value) delete out[f.name];
      else if (!value) out[f.name] = f.none;
      else if (f.list) out[f.name] = rulesOf(f.rows ? value : value.replaceAll(",", "\n"));
    }
    return out;
  };
  const rulesOf = (text) => text.split("\n").map((x) => x.trim()).filter(Boolean);
  const clicks = {
    edit: (b) => edit(b.closest("section")),
    add: (b) => adding(b.dataset.add === "root" ? $("#tree > li").dataset.id : b.dataset.add),
    more: (b) => { const d = b.closest("details") || $("#tree > li > details"); d.pieces = (d.pieces || 1) + 1; return fill(d); },
    action: (b) => act(node().node, b.dataset.action, $("h1", main).textContent),
    new: () => {
      const rules = [...main.querySelectorAll("#rules li")].map((x) => x.textContent);
      const fields = [...(rules.length ? [{ text: t("The rules:") }, { list: rules }] : []), { name: "title", label: t("Title"), required: true },
        { name: "type", label: t("Type"), options: ["execution", "planning"] }, { name: "requirement", label: t("Requirement"), rows: 5 }, ...properties(true)];
      return send(t("New node below") + ": " + $("h1", main).textContent, fields, "node_create",
        (out) => ({ ...changed(out, properties(true)), parentId: node().node, ...(node().rules ? { rulesHash: node().rules } : {}) }));
    },
    rename: () => send(t("Properties") + ": " + $("h1", main).textContent, [{ name: "title", label: t("Title"), required: true, value: $("h1", main).textContent }, ...properties()], "node_update",
      (out) => ({ ...changed(out, properties()), nodeId: node().node })),
    problem: () => send(t("Report a problem"), [{ name: "problem", label: t("What is wrong"), rows: 4, required: true }, { name: "nextStep", label: t("What to do next") }],
      "problem_update", { nodeId: node().node }),
    tick: async (b) => { await run("node_update", { nodeId: node().node, [b.dataset.done === "true" ? "unchecked" : "checked"]: [b.dataset.tick], ifMatch: node().version }); repaint(); },
    force: () => send(t("Complete with open criteria") + ": " + $("h1", main).textContent, [{ text: t("The log records that criteria were open.") },
      { name: "conclusion", label: t("Conclusion: the result"), rows: 6 }], "node_transition", (o) => ({ nodeId: node().node, action: "complete", force: true, ...(o.conclusion ? o : {}) })),
    solved: async () => { await run("problem_clear", { nodeId: node().node }); repaint(); },
    move: () => send(t("Move"), [{ name: "newParentId", label: t("Below which node (its title or id)"), required: true }], "node_move", { nodeId: node().node }),
    delete: async () => {
      const up = $("article .faint a", main)?.href || "/";
      if (await send(t("Delete") + ": " + $("h1", main).textContent, [{ text: t("Its subtree is deleted too. You can undo this under Activity.") }], "node_delete", { nodeId: node().node })) location.href = up;
    },
    goal: () => send(t("Edit the goal"), [{ name: "goal", label: t("Goal"), rows: 6, required: true, value: $("#goal").value }], "workspace_update", { ifMatch: $("article", main).dataset.workspaceVersion }),
    rules: () => send(t("Edit the rules"), [{ name: "rules", label: t("One rule per line"), rows: 10, value: $("#rules").value }], "workspace_update_rules",
      (o) => ({ action: "replace", rules: rulesOf(o.rules), ifMatch: $("article", main).dataset.workspaceVersion })),
    undo: (b) => undo(b.dataset.undo),
    do: async (b) => { await post("/do/" + b.dataset.do, { id: b.dataset.request, ...(b.dataset.session !== undefined ? { session: true } : {}) }); repaint(); },
  };
  main.addEventListener("click", async (e) => {
    const b = e.target.closest("button");
    if (!b) return;
    try {
      if (b.id === "repair") { await post("/do/workspace_check", { fix: true }); repaint(); }
      for (const name of Object.keys(clicks)) if (b.dataset[name] !== undefined) { say(""); await clicks[name](b); }
    } catch (x) { say(x.message); }
  });
  main.addEventListener("submit", (e) => {
    const form = e.target;
    if (form.dataset.log === undefined && !form.dataset.make) return;
    e.preventDefault();
    once(form, async () => {
      const data = Object.fromEntries(new FormData(form));
      if (form.dataset.log !== undefined) await run("log_append", { nodeId: form.dataset.node || node().node, event: form.dataset.log + data.event });
      else if (form.dataset.make === "workspace_init") { await post("/do/workspace_init", data); sent(form); location.href = "/plan"; return; }
      else await run(form.dataset.make, data);
      sent(form);
      say("");
      repaint();
    });
  });
})();
