// Runs the extension's own code in a stand-in for VS Code, against the server and a plan that the program makes.
//     node test.js ARBOR FOLDER
const assert = require("node:assert/strict");
const { execFileSync, spawn } = require("node:child_process");
const { mkdirSync } = require("node:fs");
const Module = require("node:module");
const { pathToFileURL, fileURLToPath } = require("node:url");
const lsp = require("vscode-languageserver-protocol/node");

const [arbor, project] = process.argv.slice(2);
mkdirSync(project, { recursive: true });
const run = (...args) => execFileSync(arbor, args, { cwd: project, stdio: "ignore" });
run("init", "Login", "--goal", "Users sign in");
run("add", "Sign-in endpoint", "-m", "what to do");

let tree, commands = new Map(), shown = [];
const folder = { uri: { fsPath: project } };
const nothing = () => ({ dispose() {} });
const vscode = {
	workspace: {
		workspaceFolders: [folder], getWorkspaceFolder: () => folder,
		getConfiguration: () => ({ get: (key, otherwise) => (key === "path" ? arbor : otherwise) }),
		createFileSystemWatcher: () => ({ onDidChange: nothing, onDidCreate: nothing, onDidDelete: nothing, dispose() {} }),
	},
	window: {
		registerTreeDataProvider: (_, provider) => { tree = provider; return nothing(); },
		showTextDocument: (uri) => shown.push(uri), createTerminal: () => ({ sendText() {}, show() {} }),
	},
	commands: {
		registerCommand: (name, f) => { commands.set(name, f); return nothing(); }, executeCommand() {},
	},
	Uri: { parse: (text) => text }, EventEmitter: class { fire() {} },
	ThemeIcon: class { constructor(id) { this.id = id; } },
	TreeItem: class { constructor(label, state) { Object.assign(this, { label, state }); } },
};
class LanguageClient {
	constructor(_id, _name, server, options) { Object.assign(this, { server, options }); }
	async start() {
		const child = spawn(this.server.command, this.server.args, { cwd: project, stdio: ["pipe", "pipe", "inherit"] });
		this.exit = new Promise((resolve) => child.on("exit", resolve));
		this.c = lsp.createProtocolConnection(new lsp.StreamMessageReader(child.stdout), new lsp.StreamMessageWriter(child.stdin));
		this.c.listen();
		await this.c.sendRequest("initialize", { rootUri: pathToFileURL(project).href, capabilities: {} });
	}
	sendRequest(method, params) { return this.c.sendRequest(method, params); }
	async stop() {
		await this.c.sendRequest("shutdown");
		await this.c.sendNotification("exit");
		assert.equal(await this.exit, 0);
	}
}
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
	await extension.deactivate();
	console.log("ok: the extension beside the server");
})();
