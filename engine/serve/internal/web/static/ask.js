// Questions in a dialog. What is answered is kept in the browser until it is sent.
import { $, made, t } from "./base.js";
import { run } from "./server.js";
import { repaint } from "./live.js";
import { offer } from "./palette.js";

function entry(f, title) {
  if (f.text) return made("p", { textContent: f.text });
  if (Array.isArray(f.list)) return made("ol", {}, ...f.list.map((x) => made("li", { textContent: x })));
  const input = made(f.options ? "select" : f.rows ? "textarea" : "input", f.rows ? { rows: f.rows } : {});
  for (const o of f.options ?? []) input.append(made("option", { value: o, textContent: t(o) }));
  input.name = f.name;
  input.required = !!f.required;
  if (f.hint) input.placeholder = f.hint;
  input.value = localStorage.getItem(answerDraft(title, f)) ?? f.value ?? (f.options ? f.options[0] : "");
  input.addEventListener("input", () => localStorage.setItem(answerDraft(title, f), input.value));
  const label = made("label", { textContent: f.label + " " }, input);
  if (f.nodes) offer(input, /([^\n]+)$/, f.rows ? "\n" : "");
  return label;
}
const answerDraft = (title, f) => "draft ask " + title + " " + f.name;

// ask returns what was filled in, by name; null where it was given up.
export function ask(title, fields) {
  const dialog = $("#ask-form").content.firstElementChild.cloneNode(true), box = $("#ask-fields", dialog);
  const named = fields.filter((f) => f.name);
  $("#ask-title", dialog).textContent = title;
  document.body.append(dialog);
  box.replaceChildren(...fields.map((f) => entry(f, title)));
  dialog.returnValue = ""; // Escape keeps what is typed
  dialog.showModal();
  return new Promise((done) => {
    dialog.onclose = () => {
      dialog.remove();
      if (dialog.returnValue !== "yes") {
        if (dialog.returnValue) for (const f of named) if (f.value) localStorage.removeItem(answerDraft(title, f));
        done(null);
        return;
      }
      const out = {};
      for (const f of named) out[f.name] = $('[name="' + CSS.escape(f.name) + '"]', box).value;
      const sent = () => { for (const f of named) localStorage.removeItem(answerDraft(title, f)); };
      const kept = () => { for (const f of named) localStorage.setItem(answerDraft(title, f), out[f.name]); };
      done({ out: { ...out }, sent, kept });
    };
  });
}

// send asks, and runs the operation with the answers. It returns null where they were given up.
export async function send(title, fields, operation, args) {
  const answer = await ask(title, fields);
  if (!answer) return null;
  answer.sent(); // a second dialog begins empty while this one is on its way
  const given = answer.out;
  try {
    const out = await run(operation, typeof args === "function" ? args(given) : { ...given, ...args });
    repaint();
    return out;
  } catch (x) { answer.kept(); throw x; }
}

// act makes a transition, and asks for the conclusion where one belongs to it.
export async function act(id, action, title) {
  if (["complete", "fail", "cancel", "drop"].includes(action)) {
    const fields = [{ name: "conclusion", label: t("Conclusion: the result"), rows: 6 }];
    const args = (o) => ({ nodeId: id, action, ...(o.conclusion ? o : {}) });
    await send(t(action) + ": " + title, fields, "node_transition", args);
    return;
  }
  await run("node_transition", { nodeId: id, action });
  repaint();
}
