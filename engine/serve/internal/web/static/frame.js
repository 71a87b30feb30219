// The frame of each page: the colours, the workspace, and a new node.
import { $, t, withWorkspace } from "./base.js";
import { adding } from "./add.js";

// The colours are those of the system until a person chooses others, which a cookie keeps.
const themes = ["", "light", "dark"], signs = ["◐", "☀", "☾"];
const names = () => [t("Colours: system"), t("Colours: light"), t("Colours: dark")];
function themed(theme) {
  const at = themes.indexOf(theme), button = $("#theme");
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
  Object.assign(button, { textContent: signs[at], title: names()[at], ariaLabel: names()[at] });
  button.onclick = () => {
    const next = themes[(at + 1) % themes.length];
    document.cookie = "theme=" + next + "; path=/; samesite=strict; max-age=" + (next ? 31536000 : 0);
    themed(next);
  };
}

// anew begins a node: in the outline, to which it goes from other views.
export function anew() {
  if ($("#tree")) adding("root");
  else location.href = withWorkspace("/plan") + "#add";
}

export function beginFrame() {
  themed($("#theme").dataset.theme);
  $("#help").addEventListener("click", () => $("#keys").showModal());
  $("#new")?.addEventListener("click", anew);
  $("#workspace")?.addEventListener("change", (e) => {
    const view = location.pathname.replace(/^\/(node|slot|session|state)\/.*/, "/");
    location.href = view + "?ws=" + encodeURIComponent(e.target.value);
  });
  if (location.hash === "#add") {
    history.replaceState(null, "", location.pathname + location.search);
    anew();
  }
}
