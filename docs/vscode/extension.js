// The client of `arbor lsp`, and the plan as a tree. What files mean is the server's business.
const { execFile } = require("node:child_process");
const { stat, utimes } = require("node:fs/promises");
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

const program = () => vscode.workspace.getConfiguration("arbor").get("path", "arbor");

// run calls arbor in a folder and resolves to its JSON, or to undefined if there is no plan.
function run(folder, ...args) {
	return new Promise((resolve) => execFile(program(), [...args, "--json"], { cwd: folder.uri.fsPath, maxBuffer: 1 << 26 },
		(failed, out) => {
			try {
				resolve(failed ? undefined : JSON.parse(out));
			} catch {
				resolve(undefined);
			}
		}));
}

const icons = { pending: "circle-outline", implementing: "play-circle", validating: "beaker", completed: "pass-filled",
	failed: "error", cancelled: "circle-slash", planning: "edit", monitoring: "eye" };

// Plan has the nodes of the first folder that has a vault.
class Plan {
	changed = new vscode.EventEmitter();
	onDidChangeTreeData = this.changed.event;

	refresh() {
		this.changed.fire();
	}

	async getChildren(node) {
		if (node) return node.children ?? [];
		for (const folder of vscode.workspace.workspaceFolders ?? []) {
			const out = await run(folder, "tree");
			if (out?.tree) {
				this.folder = folder;
				vscode.commands.executeCommand("setContext", "arbor.served", true);
				return out.tree;
			}
		}
		return [];
	}

	getTreeItem(node) {
		const kids = node.children?.length ? 2 : 0;
		const item = new vscode.TreeItem(node.title, node.id === "root" ? 2 : kids && 1);
		item.description = [node.status, node.ticked, node.due && `due ${node.due}`].filter(Boolean).join(" · ");
		item.iconPath = new vscode.ThemeIcon(icons[node.status] ?? "circle-outline");
		item.command = { command: "arbor.open", title: "Open", arguments: [node.id, this.folder] };
		return item;
	}
}

// open shows the file of a node.
async function open(id, folder) {
	const found = await client.sendRequest("workspace/symbol", { query: id });
	const inside = found?.filter((s) => vscode.workspace.getWorkspaceFolder(vscode.Uri.parse(s.location.uri)) === folder);
	const hit = (inside?.length ? inside : found)?.[0];
	if (hit) vscode.window.showTextDocument(vscode.Uri.parse(hit.location.uri));
}

// Before a save VS Code compares the time of the file with that of its last read, and asks whether to overwrite a newer
// one. Where the server says that the text holds all that the file has, the file gets the time of that read again.
class Saves {
	read = new Map(); // when the file was changed that VS Code has read or written last, by path

	async note(document) {
		if (document.uri.scheme !== "file" || document.languageId !== "markdown" || document.isDirty) return;
		const found = await stat(document.uri.fsPath).catch(() => undefined);
		if (found) this.read.set(document.uri.fsPath, found.mtimeMs);
	}

	async allow(document) {
		const path = document.uri.fsPath, read = this.read.get(path);
		const found = read && await stat(path).catch(() => undefined);
		if (!found || found.mtimeMs <= read) return;
		let holds = false;
		for (let i = 0; i < 10 && !holds; i++) { // an edit by the server may be on its way
			if (i) await new Promise((resolve) => setTimeout(resolve, 100));
			holds = await client.sendRequest("arbor/holds", { textDocument: { uri: document.uri.toString() } }).catch(() => false);
		}
		if (holds && (await stat(path)).mtimeMs === found.mtimeMs) await utimes(path, found.atime, Math.floor(read) / 1000);
	}

	watch() {
		const w = vscode.workspace;
		w.textDocuments.forEach((d) => this.note(d));
		return [w.onDidOpenTextDocument((d) => this.note(d)), w.onDidSaveTextDocument((d) => this.note(d)),
			w.onDidChangeTextDocument((e) => this.note(e.document)),
			w.onWillSaveTextDocument((e) => e.waitUntil(this.allow(e.document)))];
	}
}

// A page opens in a tab of VS Code's own browser, where there is one (1.112 or newer), else in the person's browser.
async function show(params, next) {
	const open = "workbench.action.browser.open";
	if (!params.external || !(await vscode.commands.getCommands(true)).includes(open)) return next(params);
	await vscode.commands.executeCommand(open, params.uri);
	return { success: true };
}

async function page() {
	const folder = vscode.workspace.workspaceFolders?.[0];
	await client.sendRequest("workspace/executeCommand", { command: "arbor.openPage", arguments: [{ uri: folder?.uri.toString() }] })
		.catch((failed) => vscode.window.showErrorMessage(failed.message));
}

function start(plan) {
	client = new LanguageClient("arbor", "Arbor", { command: program(), args: ["lsp"] }, {
		documentSelector: [{ scheme: "file", language: "markdown" }],
		initializationOptions: vscode.workspace.getConfiguration("arbor"),
		synchronize: { configurationSection: "arbor" },
		middleware: { window: { showDocument: show } },
	});
	client.onNotification("$/arbor/changed", () => plan.refresh());
	return client.start();
}

exports.activate = async (context) => {
	const plan = new Plan();
	vscode.commands.executeCommand("setContext", "arbor.served", true);
	context.subscriptions.push(
		vscode.window.registerTreeDataProvider("arbor.plan", plan),
		vscode.commands.registerCommand("arbor.refresh", () => plan.refresh()),
		vscode.commands.registerCommand("arbor.open", open),
		vscode.commands.registerCommand("arbor.restart", async () => {
			await client?.stop();
			await start(plan);
		}),
		vscode.commands.registerCommand("arbor.page", page),
	);
	await start(plan);
	context.subscriptions.push(...new Saves().watch());
};

exports.deactivate = () => client?.stop();
