import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const lsp = createRequire(import.meta.url)("vscode-languageserver-protocol/node");
const [arbor, project] = process.argv.slice(2);
mkdirSync(project, { recursive: true });
const run = (...args) => execFileSync(arbor, args, { cwd: project, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
run("init", "Login", "--goal", "Users sign in");
for (const title of ["Sign-in endpoint", "Sign-in form"]) run("add", title, "-m", "what to do\n\n- [ ] done");
const nodes = readdirSync(join(project, ".tanmi-workspace"), { recursive: true })
	.filter((name) => name.endsWith("Node.md") && name.includes("node-"))
	.map((name) => join(project, ".tanmi-workspace", name)).sort();
const idOf = (path) => /^id: (.*)$/m.exec(readFileSync(path, "utf8"))[1];

const server = spawn(arbor, ["lsp"], { cwd: project, stdio: ["pipe", "pipe", "inherit"] });
const c = lsp.createProtocolConnection(new lsp.StreamMessageReader(server.stdout), new lsp.StreamMessageWriter(server.stdin));
const uri = pathToFileURL(nodes[0]).href;
let text = readFileSync(nodes[0], "utf8"), version = 1;
const found = new Map();
let wake = () => {};
async function until(what, is) {
	const end = AbortSignal.timeout(20_000);
	while (!is()) {
		await new Promise((resolve, reject) => { wake = resolve; end.onabort = () => reject(new Error(`no ${what}:\n${text}`)); });
	}
	console.log(`ok: ${what}`);
}
const offset = (p) => text.split("\n").slice(0, p.line).reduce((n, l) => n + l.length + 1, 0) + p.character;
const place = (sample) => {
	const at = text.indexOf(sample.replace("|", "")) + sample.indexOf("|");
	assert(at >= sample.indexOf("|"), `${sample} is not in ${text}`);
	const before = text.slice(0, at).split("\n");
	return { line: before.length - 1, character: before.at(-1).length };
};
function change(range, with_) {
	text = text.slice(0, offset(range.start)) + with_ + text.slice(offset(range.end));
	c.sendNotification(lsp.DidChangeTextDocumentNotification.type,
		{ textDocument: { uri, version: ++version }, contentChanges: [{ range, text: with_ }] });
}
function replace(old, with_) {
	const start = place(`|${old}`);
	const lines = old.split("\n");
	const end = lines.length === 1 ? { line: start.line, character: start.character + old.length }
		: { line: start.line + lines.length - 1, character: lines.at(-1).length };
	change({ start, end }, with_);
}
c.onNotification(lsp.PublishDiagnosticsNotification.type, (p) => { found.set(p.uri, p.diagnostics); wake(); });
c.onRequest(lsp.ApplyWorkspaceEditRequest.type, ({ edit }) => {
	for (const e of edit.documentChanges) {
		assert(lsp.TextDocumentEdit.is(e));
		if (e.textDocument.version !== version) return { applied: false };
		for (const x of [...e.edits].sort((a, b) => offset(b.range.start) - offset(a.range.start))) change(x.range, x.newText);
	}
	setTimeout(() => wake());
	return { applied: true };
});
c.listen();

const doc = { textDocument: { uri } };
const at = (sample) => ({ ...doc, position: place(sample) });
const ask = async (type, params, is) => {
	const out = await c.sendRequest(type, params);
	assert(is(out), `${type.method}: ${JSON.stringify(out, null, 1)}`);
	console.log(`ok: ${type.method}`);
	return out;
};

const init = await c.sendRequest(lsp.InitializeRequest.type, {
	processId: process.pid, rootUri: pathToFileURL(project).href, workspaceFolders: null,
	capabilities: { workspace: { applyEdit: true, workspaceEdit: { documentChanges: true } } },
});
assert.equal(init.capabilities.positionEncoding, "utf-16");
await c.sendNotification(lsp.InitializedNotification.type, {});
await c.sendNotification(lsp.DidOpenTextDocumentNotification.type, { textDocument: { uri, languageId: "markdown", version, text } });
await until("diagnostics of a sound file", () => found.get(uri)?.length === 0);
replace("status: pending", "status: 😀 nonsense");
await until("a finding while typing", () => found.get(uri)?.[0]?.code === "STATUS_INVALID" && lsp.Diagnostic.is(found.get(uri)[0]));
replace("😀 nonsense", "pending");
await until("no finding after it is mended", () => found.get(uri)?.length === 0);

const other = idOf(nodes[1]);
replace("what to do", `what to do beside [[${other}]], [[Nothing]] and [[for`);
await ask(lsp.CompletionRequest.type, at("[[for|"), (o) => o.items.length === 1 && lsp.TextEdit.is(o.items[0].textEdit));
await ask(lsp.HoverRequest.type, at(`[[${other}|`), (o) => lsp.Hover.is(o) && o.contents.value.includes("Sign-in form"));
await ask(lsp.DefinitionRequest.type, at(`[[${other}|`), (o) => lsp.Location.is(o) && o.uri === pathToFileURL(nodes[1]).href);
await ask(lsp.ReferencesRequest.type, { ...at("title: |"), context: { includeDeclaration: true } }, (o) => o.every(lsp.Location.is));
await ask(lsp.DocumentSymbolRequest.type, doc, (o) => o.length > 0 && o.every(lsp.DocumentSymbol.is));
await ask(lsp.WorkspaceSymbolRequest.type, { query: "FORM" }, (o) => o.length === 1 && o[0].name === "Sign-in form");
await ask(lsp.DocumentLinkRequest.type, doc, (o) => o.length > 0 && o.every(lsp.DocumentLink.is));
await ask(lsp.InlayHintRequest.type, { ...doc, range: { start: place("|---"), end: place("[[for|") } }, (o) => o.length > 0 && o.every(lsp.InlayHint.is));
await ask(lsp.CodeLensRequest.type, doc, (o) => o.length > 0 && o.every(lsp.CodeLens.is));
const range = { start: place(`[[${other}|`), end: place(`[[${other}|`) };
const actions = await ask(lsp.CodeActionRequest.type, { ...doc, range, context: { diagnostics: [] } },
	(o) => o.length > 0 && o.every((a) => lsp.CodeAction.is(a)));
const wait = actions.find((a) => a.title.startsWith("Wait for"));
await ask(lsp.ExecuteCommandRequest.type, wait.command, () => true);
await until("the dependency in the unsaved text", () => text.includes(`dependencies: [${other}]`) && text.includes("beside"));
const items = await ask(lsp.CallHierarchyPrepareRequest.type, at("title: |"), (o) => o.length === 1);
await ask(lsp.CallHierarchyOutgoingCallsRequest.type, { item: items[0] }, (o) => o[0].to.name === "Sign-in form");
await ask(lsp.CallHierarchyIncomingCallsRequest.type, { item: items[0] }, (o) => o.length === 0);
await ask(lsp.PrepareRenameRequest.type, at("title: |"), (o) => o.placeholder === "Sign-in endpoint");
await ask(lsp.RenameRequest.type, { ...at("title: |"), newName: "Endpoint" }, (o) => o.documentChanges.every(lsp.TextDocumentEdit.is));
await ask(lsp.WillRenameFilesRequest.type, { files: [{ oldUri: pathToFileURL(join(project, "a.md")).href,
	newUri: pathToFileURL(join(project, "b.md")).href }] }, (o) => Array.isArray(o.documentChanges));
run("problem", idOf(nodes[0]), "-m", "an assistant met this");
await until("what another process committed in the unsaved text", () => text.includes("an assistant met this"));
await assert.rejects(c.sendRequest("textDocument/formatting", doc), /not supported/);
await c.sendRequest(lsp.ShutdownRequest.type);
await c.sendNotification(lsp.ExitNotification.type);
server.on("exit", (code) => { assert.equal(code, 0); console.log("ok: shutdown and exit"); process.exit(0); });
