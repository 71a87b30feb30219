// Runs the extension's own code in a stand-in for VS Code, against the server and a plan that the program makes.
//     node test.js ARBOR FOLDER
const assert = require("node:assert/strict");
const { execFileSync, spawn } = require("node:child_process");
const { mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } = require("node:fs");
const Module = require("node:module");
const { pathToFileURL, fileURLToPath } = require("node:url");
const lsp = require("vscode-languageserver-protocol/node");

const [arbor, project] = process.argv.slice(2);
mkdirSync(project, { recursive: true });
const run = (...args) => execFileSync(arbor, args, { cwd: project, stdio: "ignore" });
run("init", "Login", "--goal", "Users sign in");
run("add", "Sign-in endpoint", "-m", "what to do");

let tree, client, commands = new Map(), heard = new Map(), shown = [], opened = [], refreshed = 0;
const folder = { uri: { fsPath: project } };
const nothing = () => ({ dispose() {} });
const vscode = {
	workspace: {
		workspaceFolders: [folder], getWorkspaceFolder: () => folder,
		getConfiguration: () => ({ get: (key, otherwise) => (key === "path" ? arbor : otherwise) }),
		textDocuments: [],
		...Object.fromEntries(["onDidOpenTextDocument", "onDidSaveTextDocument", "onDidChangeTextDocument", "onWillSaveTextDocument"]
			.map((name) => [name, (f) => { heard.set(name, f); return nothing(); }])),
	},
	window: {
		registerTreeDataProvider: (_, provider) => { tree = provider; return nothing(); },
		showTextDocument: (uri) => shown.push(uri), showErrorMessage: (text) => { throw new Error(text); },
	},
	commands: {
		registerCommand: (name, f) => { commands.set(name, f); return nothing(); },
		getCommands: async () => ["workbench.action.browser.open"],
		executeCommand: (name, arg) => { if (name === "workbench.action.browser.open") opened.push(arg); },
	},
	Uri: { parse: (text) => text }, EventEmitter: class { fire() { refreshed++; } },
	ThemeIcon: class { constructor(id) { this.id = id; } },
	TreeItem: class { constructor(label, state) { Object.assign(this, { label, state }); } },
};
class LanguageClient {
	constructor(_id, _name, server, options) { Object.assign(this, { server, options }); client = this; }
	async start() {
		const child = spawn(this.server.command, this.server.args, { cwd: project, stdio: ["pipe", "pipe", "inherit"] });
		this.exit = new Promise((resolve) => child.on("exit", resolve));
		this.c = lsp.createProtocolConnection(new lsp.StreamMessageReader(child.stdout), new lsp.StreamMessageWriter(child.stdin));
		this.c.onRequest("window/showDocument", (p) => this.options.middleware.window.showDocument(p, () => ({ success: false })));
		this.c.onRequest("workspace/applyEdit", ({ edit }) => {
			if (!open.declines) apply(edit.documentChanges[0].edits);
			return { applied: !open.declines };
		});
		this.c.onNotification(...this.changed);
		this.c.listen();
		await this.c.sendRequest("initialize", { rootUri: pathToFileURL(project).href,
			capabilities: { window: { showDocument: { support: true } }, workspace: { applyEdit: true } } });
	}
	onNotification(method, f) { this.changed = [method, f]; }
	sendRequest(method, params) { return this.c.sendRequest(method, params); }
	async stop() {
		await this.c.sendRequest("shutdown");
		await this.c.sendNotification("exit");
		assert.equal(await this.exit, 0);
	}
}
// The one open document, as VS Code has it.
const open = { languageId: "markdown", isDirty: false, text: "", version: 1 };
const tell = (method, params) => client.c.sendNotification(method, params);
const changed = (text) => {
	open.text = text;
	open.isDirty = true;
	tell("textDocument/didChange", { textDocument: { uri: `${open.uri}`, version: ++open.version }, contentChanges: [{ text }] });
};
function apply(edits) {
	const at = (p) => open.text.split("\n").slice(0, p.line).reduce((n, l) => n + l.length + 1, 0) + p.character;
	let text = open.text;
	for (const e of [...edits].reverse()) text = text.slice(0, at(e.range.start)) + e.newText + text.slice(at(e.range.end));
	changed(text);
	open.wake?.();
}
const willSave = async () => {
	let waits;
	heard.get("onWillSaveTextDocument")({ document: open, waitUntil: (p) => { waits = p; } });
	await waits;
};

const load = Module._load;
Module._load = (name, ...rest) => (name === "vscode" ? vscode
	: name === "vscode-languageclient/node" ? { LanguageClient } : load(name, ...rest));

(async () => {
	const extension = require("./extension.js");
	await extension.activate({ subscriptions: [] });
	const [root] = await tree.getChildren();
	const [node] = await tree.getChildren(root);
	assert.equal(tree.getTreeItem(root).label, "Login");
	const item = tree.getTreeItem(node);
	assert.equal(item.label, "Sign-in endpoint");
	assert.match(item.description, /^pending/);
	await commands.get("arbor.open")(...item.command.arguments);
	assert.match(fileURLToPath(shown[0]), /Node\.md$/);

	const path = fileURLToPath(shown[0]);
	Object.assign(open, { text: readFileSync(path, "utf8"), uri: { scheme: "file", fsPath: path, toString: () => shown[0] } });
	tell("textDocument/didOpen", { textDocument: { uri: shown[0], languageId: "markdown", version: 1, text: open.text } });
	await heard.get("onDidOpenTextDocument")(open);
	await client.c.sendRequest("workspace/symbol", { query: "" }); // the server has the text before the plan changes
	const read = statSync(path).mtimeMs;
	changed(open.text.replace("what to do", "what I write"));
	const merged = new Promise((resolve) => { open.wake = resolve; });
	run("start", "Sign-in endpoint");
	utimesSync(path, new Date(), new Date(read + 5000)); // whatever the file system's clock, it is newer
	await merged;
	await client.c.sendRequest("workspace/symbol", { query: "" }); // the server has the answer to its edit by now
	assert(refreshed > 0, "the tree does not follow the plan");
	await willSave();
	assert(statSync(path).mtimeMs <= read, "VS Code would ask at the save, and the text has all that the file has");
	assert.match(open.text, /status: implementing[^]*what I write/);
	open.declines = true; // the text is not to have it
	writeFileSync(path, readFileSync(path, "utf8") + "\nwritten beside Arbor\n");
	utimesSync(path, new Date(), new Date(read + 9000));
	await willSave();
	assert(statSync(path).mtimeMs > read, "VS Code would not ask, and the text lacks what the file has");

	await commands.get("arbor.page")();
	for (let i = 0; i < 200 && !opened.length; i++) await new Promise((resolve) => setTimeout(resolve, 50));
	assert.match(opened[0], /^http:\/\/127\.0\.0\.1:\d+\/#token=/);
	await extension.deactivate();
	console.log("ok: the extension beside the server");
})();
