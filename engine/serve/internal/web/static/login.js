// The script of the page that a browser sees before it is logged in.
import { $, made } from "./base.js";
import { again, forget, login } from "./server.js";

forget();
const enter = () => login().catch((e) => $("main").append(made("p", { className: "bad", textContent: e.message })));
window.addEventListener("hashchange", enter); // the address was pasted into this tab
enter().then(again);
