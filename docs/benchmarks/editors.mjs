// Asks three language servers the same things in turn and prints a table: see `editors` beside this file.
import { execFileSync, spawn } from "node:child_process";
import { readFileSync, readdirSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const require = createRequire(import.meta.url);
const lsp = require("vscode-languageserver-protocol/node");
const markdown = require("markdown-it")({ html: true });
const [files, rounds] = process.argv.slice(2).map(Number);
const walk = (dir, end) => readdirSync(dir, { recursive: true }).filter((f) => f.endsWith(end)).map((f) => join(dir, f)).sort();

// A Server is a running one with one open file. `typed` is what a keystroke writes, by its number.
class Server {
	constructor(name, dir, command, args, options) {
		Object.assign(this, { name, dir: resolve(dir), command, args, times: {}, version: 1, wake: () => {} }, options);
	}
	async start() {
		const begun = performance.now();
		this.child = spawn(this.command, this.args, { cwd: this.dir, stdio: ["pipe", "pipe", "ignore"] });
		const c = this.c = lsp.createProtocolConnection(new lsp.StreamMessageReader(this.child.stdout),
			new lsp.StreamMessageWriter(this.child.stdin));
		c.onNotification("textDocument/publishDiagnostics", (p) => { if (p.uri === this.uri) this.wake(p); });
		c.onRequest("workspace/configuration", ({ items }) => items.map(() => this.settings));
		for (const m of ["client/registerCapability", "window/workDoneProgress/create", "workspace/inlayHint/refresh",
			"workspace/codeLens/refresh", "workspace/semanticTokens/refresh", "workspace/diagnostic/refresh"]) c.onRequest(m, () => null);
		this.answer?.(c);
		c.listen();
		const uri = pathToFileURL(this.dir).href;
		await c.sendRequest("initialize", { processId: process.pid, rootUri: uri, workspaceFolders: [{ uri, name: "x" }],
			initializationOptions: this.settings, capabilities: {
				general: { positionEncodings: ["utf-16"] },
				workspace: { configuration: true, workspaceFolders: true, applyEdit: true },
				textDocument: { completion: {}, publishDiagnostics: { versionSupport: true }, hover: { contentFormat: ["markdown"] },
					documentSymbol: { hierarchicalDocumentSymbolSupport: true }, diagnostic: {} } } });
		c.sendNotification("initialized", {});
		if (this.pull) c.sendNotification("workspace/didChangeConfiguration", { settings: this.settings });
		this.text = readFileSync(this.file, "utf8");
		this.uri = pathToFileURL(this.file).href;
		c.sendNotification("textDocument/didOpen", { textDocument: { uri: this.uri, languageId: this.language, version: 1, text: this.text } });
		await c.sendRequest("textDocument/documentSymbol", this.doc());
		this.note("start", begun);
	}
	doc(more = {}) { return { textDocument: { uri: this.uri }, ...more }; }
	note(what, begun) { (this.times[what] ??= []).push(performance.now() - begun); }
	// at returns the place behind a sample of the file.
	at(sample) {
		const lines = this.text.slice(0, this.text.indexOf(sample) + sample.length).split("\n");
		return { line: lines.length - 1, character: lines.at(-1).length };
	}
	// key types behind a sample, in the place of `was`.
	key(sample, text, was = "") {
		const start = this.at(sample);
		const range = { start, end: { line: start.line, character: start.character + was.length } };
		this.c.sendNotification("textDocument/didChange", this.doc({ textDocument: { uri: this.uri, version: ++this.version },
			contentChanges: [{ range, text }] }));
	}
	// findings resolves when the findings of the text as it stands are here.
	findings() {
		if (this.pull) return this.c.sendRequest("textDocument/diagnostic", this.doc()).then((r) => r.items);
		return new Promise((done) => { this.wake = (p) => { if (!(p.version < this.version)) done(p.diagnostics); }; });
	}
	async measure(what, round) {
		const begun = performance.now();
		let got, word;
		switch (what) {
		case "findings": {
			this.key(this.place, this.wrong(round), this.wrong(round - 1).repeat(round > -2));
			got = await this.findings();
			if (round === rounds - 1) this.key(this.place, "", this.wrong(round));
			break;
		}
		case "completion": {
			word = this.word(round);
			this.key(this.before, word);
			const position = this.at(this.before);
			position.character += word.length;
			const out = await this.c.sendRequest("textDocument/completion", this.doc({ position, context: { triggerKind: 1 } }));
			got = out?.items ?? out;
			break;
		}
		case "symbols": got = await this.c.sendRequest("workspace/symbol", { query: this.query(round) }); break;
		case "references": got = await this.c.sendRequest("textDocument/references",
			this.doc({ position: this.at(this.named), context: { includeDeclaration: true } })); break;
		}
		if (!got?.length) throw new Error(`${this.name}: ${what} has no answer: ${JSON.stringify(got)}`);
		if (round >= 0) this.note(what, begun);
		if (what === "completion") { // the text is sound again before the next one
			this.key(this.before, "", word);
			if (!this.pull) await this.findings();
		}
	}
	memory() { return Number(/^VmRSS:\s*(\d+)/m.exec(readFileSync(`/proc/${this.child.pid}/status`, "utf8"))[1]) / 1024; }
}

const nodes = walk("plan", "Node.md").filter((f) => readFileSync(f, "utf8").includes("## Requirement\n\n"));
const node = nodes[nodes.length >> 1];
const md = ["## Requirement\n\n", "markdown"];
const servers = [
	new Server("arbor", "plan", process.env.ARBOR, ["lsp"], { file: resolve(node), before: md[0], language: md[1], settings: {},
		place: "\nstatus: ", wrong: (n) => `x${n + 10}`, word: (n) => `[[${n + 10}`, query: (n) => `${n + 10}`, named: "\nparentId: " }),
	new Server("gopls", "code", process.env.GOPLS, ["serve"], { before: "\t\treturn strings.ToUpper(", language: "go",
		file: resolve(walk("code", ".go")[files >> 1]), settings: { diagnosticsDelay: "0s" }, 
		place: "\t\treturn strings.ToUpper(", wrong: (n) => `gone${n + 10} + `, word: () => "Step", query: (n) => `Step00${String(n + 10).padStart(3, "0")}`, named: "\ntype St" }),
	new Server("markdown", "notes", process.execPath,
		["node_modules/vscode-markdown-languageserver/dist/node/workerMain.js", "--stdio"].map((a, i) => (i ? a : resolve(a))), {
			file: resolve(node.replace(/^plan/, "notes")), before: md[0], language: md[1], pull: true,
			settings: { markdownFileExtensions: ["md"], markdown: { suggest: { paths: { enabled: true,
				includeWorkspaceHeaderCompletions: "onDoubleHash" } }, validate: { enabled: true, referenceLinks: { enabled: "error" },
				fragmentLinks: { enabled: "error" }, fileLinks: { enabled: "error", markdownFragmentLinks: "error" },
				ignoredLinks: [], unusedLinkDefinitions: { enabled: "error" }, duplicateLinkDefinitions: { enabled: "error" } } } },
			place: md[0], wrong: (n) => `[a](gone${n + 10}.md) `, word: () => "[a](##", query: () => "Requirement", named: "## Requ",
			answer(c) {
				const path = (p) => fileURLToPath(p.uri);
				c.onRequest("markdown/parse", (p) => markdown.parse(p.text ?? readFileSync(path(p), "utf8"), {}));
				c.onRequest("markdown/fs/readFile", (p) => [...readFileSync(path(p))]);
				c.onRequest("markdown/fs/readDirectory", (p) => readdirSync(path(p), { withFileTypes: true })
					.map((e) => [e.name, { isDirectory: e.isDirectory() }]));
				c.onRequest("markdown/fs/stat", (p) => {
					const s = statSync(path(p), { throwIfNoEntry: false });
					return s && { isDirectory: s.isDirectory() };
				});
				for (const m of ["create", "delete"]) c.onRequest(`markdown/fs/watcher/${m}`, () => null);
				c.onRequest("markdown/findMarkdownFilesInWorkspace", () => walk(this.dir, ".md").map((f) => pathToFileURL(f).href));
			} }),
];
for (const s of servers) await s.start();
const rows = { start: "start to the outline of a file", findings: "a keystroke to the findings of the file",
	completion: "a keystroke to completion", symbols: "a symbol of the workspace", references: "references to a name" };
for (const what of Object.keys(rows).slice(1)) {
	for (let round = -2; round < rounds; round++) { // the first two are not counted
		for (let i = 0; i < servers.length; i++) await servers[(i + round + 2) % servers.length].measure(what, round);
	}
}
const of = (times, part) => [...times].sort((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * part))];
const version = execFileSync(process.env.GOPLS, ["version"], { encoding: "utf8" }).match(/v[\d.]+/)[0];
console.log(`| ${files} files each, ${rounds} rounds in turn: median (p95) | arbor lsp | gopls ${version} | vscode-markdown-languageserver 0.5.0 |`);
console.log("| - | - | - | - |");
const cell = (n, unit, first) => `${n < 10 ? n.toFixed(1) : Math.round(n)} ${unit}${first ? ` (${(n / first).toFixed(1)} ×)` : ""}`;
for (const [what, title] of Object.entries(rows)) {
	const first = of(servers[0].times[what], 0.5);
	console.log(`| ${title} | ${servers.map((s, i) => {
		const [mid, slow] = [0.5, 0.95].map((part) => of(s.times[what], part));
		return what === "start" ? cell(mid, "ms", i && first) : `${cell(mid, "ms", i && first)}, p95 ${cell(slow, "ms")}`;
	}).join(" | ")} |`);
}
const least = servers[0].memory();
console.log(`| memory afterwards (resident) | ${servers.map((s, i) => cell(s.memory(), "MB", i && least)).join(" | ")} |`);
for (const s of servers) s.child.kill();
process.exit(0);
