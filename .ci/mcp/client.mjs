// Works as assistants do, with the client of the TypeScript SDK: a whole plan from the first workspace to the last
// conclusion, over stdin and stdout and over HTTP, with people's saves in between, then many calls at once, and clients that
// are killed. It prints a line for each thing that it has shown, and ends at the first failure. Usage: node client.mjs ARBOR
// FOLDER, with a folder for projects.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, readdirSync, renameSync, unlinkSync, writeFileSync, writeSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { Assistant, Wire, arbor, reach, serve, start, vault, within } from "./assistant.mjs";

// project makes a git repository with two files in it.
function project(name) {
	const dir = join(process.argv[3], name);
	mkdirSync(join(dir, "docs"), { recursive: true });
	for (const file of ["README.md", "docs/sources.md"]) writeFileSync(join(dir, file), "# A project\n");
	git(dir, "init", "-q");
	git(dir, "add", ".");
	git(dir, "-c", "user.name=ci", "-c", "user.email=ci@example.org", "commit", "-qm", "begin");
	return dir;
}

const git = (dir, ...args) => execFileSync("git", args, { cwd: dir, encoding: "utf8" });

// whole checks that arbor check finds nothing in a vault, and that no file is left over.
function whole(dir) {
	execFileSync(arbor, ["check"], { cwd: dir, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }); // throws, with what it found, unless it exits with 0
	const files = readdirSync(join(dir, vault), { recursive: true, withFileTypes: true }).filter((f) => f.isFile());
	for (const f of files) {
		const path = join(f.parentPath, f.name);
		const noted = basename(f.parentPath) === "journal" && f.name !== "README"; // a record is left over
		const local = path.includes("/.local/") && !f.name.startsWith(".arbor-") && !noted;
		assert(local || /^((Node|Workspace)\.md|\.gitignore|sessions\.json)$/.test(f.name), `${path} is left over`);
	}
	return files.map((f) => join(f.parentPath, f.name)).filter((p) => p.endsWith(".md") && !p.includes("/.local/"));
}

// entries returns the events in the logs of a vault's files that begin with some words.
const entries = (dir, words) =>
	whole(dir)
		.flatMap((p) => [...readFileSync(p, "utf8").matchAll(/^- \[[-\d: ]{19}\] \[AI\] (.*)$/gm)].map((m) => m[1]))
		.filter((event) => event.startsWith(words));

const rules = ["Every claim names its source", "Keep it short: \"one page\" # at most", "用中文也可以"];
const parts = ["Find out", "Build", "Ship"].flatMap((phase) => [`${phase}: people`, `${phase}: things`].map((area) => [phase, area]));
const hashOf = (all) => createHash("md5").update(all.join("\n")).digest("hex").slice(0, 8);

// makePlan makes nodes: a root, three phases of two areas each, three tasks in each, and two nodes with roles. It returns ids by title.
async function makePlan(a, rulesHash) {
	const ids = { root: "root" };
	const create = async (parent, type, title, more) => {
		const out = await a.call("node_create", { parentId: ids[parent], type, title, requirement: `What *${title}* is to bring.`, rulesHash, ...more });
		ids[title] = out.nodeId;
		return out;
	};
	for (const [phase, area] of parts) {
		if (!ids[phase]) await create("root", "planning", phase);
		const { cascadeUpdates } = await create(phase, "planning", area);
		if (area.endsWith("people")) assert.deepEqual(cascadeUpdates, [{ nodeId: ids[phase], from: "pending", to: "monitoring" }], "a first child moves its parent along");
		for (const n of [1, 2, 3]) await create(area, "execution", `${area} #${n}`);
	}
	await create("Find out", "execution", "Collect the rules", { role: "info_collection", docs: [{ path: "README.md", description: "what it is" }] });
	await create("Ship", "execution", "Try it", { role: "validation" });
	return ids;
}

const conclusionOf = (title) =>
	title === "Collect the rules" ? "## Rules\n\n- Ask before you buy\n\n## Docs\n\n- docs/sources.md: what was read\n" : `What came of *${title}*:\n\n- it works`;

// work does the work of a node.
async function work(a, { id: nodeId, title, type }, i) {
	const move = (action, more) => a.call("node_transition", { nodeId, action, ...more });
	const conclusion = conclusionOf(title);
	if (type === "planning") return move("complete", { conclusion });
	await move("start", { reason: "it is next" });
	await a.call("log_append", { nodeId, operator: "AI", event: `Looked at ${title}` });
	if (i % 3 === 0) {
		await a.call("problem_update", { nodeId, problem: `${title} is unclear`, nextStep: "ask" });
		const { chain } = await a.call("context_get", { nodeId });
		assert.deepEqual(chain.at(-1).problem, { problem: `${title} is unclear`, nextStep: "ask" });
		await a.call("problem_clear", { nodeId });
	}
	await move("submit");
	if (i % 5 === 4) return move("fail", { conclusion: `It cannot be done: ${title}` });
	return move("complete", { conclusion });
}

// handOut works on ready nodes until none is left, and notes which nodes it got.
async function handOut(a, given) {
	for (;;) {
		const { nodes = [] } = await a.call("node_next", { claim: true, verbose: true });
		if (nodes.length === 0) return;
		given.push(nodes[0]);
		await work(a, nodes[0], given.length);
	}
}

// saveAsVim writes a file as Vim does: it tries whether it can, moves the old file aside, writes a new one, and removes the old.
function saveAsVim(file, text) {
	const trial = join(dirname(file), "4913");
	writeFileSync(trial, "");
	unlinkSync(trial);
	renameSync(file, `${file}~`);
	saveInPlace(file, text);
	unlinkSync(`${file}~`);
}

// saveInPlace truncates a file and writes it in two pieces.
function saveInPlace(file, text) {
	const fd = openSync(file, "w");
	const data = Buffer.from(text);
	writeSync(fd, data.subarray(0, data.length / 2));
	writeSync(fd, data.subarray(data.length / 2));
	fsyncSync(fd);
	closeSync(fd);
}

// plan runs a plan from beginning to end. a can be asked, b cannot; both work in the project at once.
async function plan(shown, way, dir, a, b) {
	assert(a.tools.length === 35 && a.tools.every((t) => t.outputSchema), "each tool says what it returns");
	shown(`${a.tools.length} tools with schemas of their results, ${a.client.getInstructions().length} bytes of instructions`);

	const docs = [{ path: "README.md", description: "the project" }];
	const made = await a.call("workspace_init", { name: `Plan over ${way}`, goal: "Show that it works", rules, docs });
	const ws = made.workspaceId;
	assert.equal(made.rulesHash, hashOf(rules));
	const told = await a.call("session_bind", { sessionId: `${way}-a`, workspaceId: ws });
	assert.deepEqual([told.rules, told.rulesHash], [rules, made.rulesHash]);
	await b.call("session_bind", { sessionId: `${way}-b`, workspaceId: ws });
	assert.equal((await b.call("session_status", { sessionId: `${way}-b` })).workspaceName, `Plan over ${way}`);
	const tracked = git(dir, "ls-files", "--others", "--exclude-standard").trim().split("\n");
	assert(tracked.length > 0 && tracked.every((f) => /^\.tanmi-workspace\/(\.gitignore$|ws-)/.test(f)), `git would track ${tracked.join(", ")}`);
	shown("a workspace is made, two sessions are bound to it, git sees its files and nothing else");

	const first = { parentId: "root", type: "planning", title: "Find out", requirement: "x" };
	for (const rulesHash of [undefined, "", "00000000"]) {
		const text = await a.refused("node_create", { ...first, rulesHash }, "RULES_HASH_MISMATCH", "read");
		assert(!text.includes(made.rulesHash), `the refusal tells the hash: ${text}`);
	}
	await a.refused("node_create", { ...first, rulesHash: made.rulesHash, parent: "root" }, "UNKNOWN_PARAMS", "parentId");
	assert.equal((await a.call("node_list")).total, 1);
	await a.call("node_transition", { nodeId: "root", action: "start" });
	const ids = await makePlan(a, made.rulesHash);
	const { total, tree } = await b.call("node_list");
	assert.deepEqual([total, tree[0].children[1].children[0].children[2].title], [30, "Build: people #3"]);
	shown("the rules' hash has to be proved; 30 nodes are planned on 4 levels");

	const task = ids["Build: people #1"];
	await a.refused("node_transition", { nodeId: task, action: "complete", conclusion: "done" }, "INVALID_TRANSITION", "pending", "start");
	await a.refused("node_transition", { nodeId: "root", action: "complete", conclusion: "done" }, "INCOMPLETE_CHILDREN");
	await a.refused("node_get", { nodeId: task.slice(0, -2) + "zz" }, "NODE_NOT_FOUND", task);
	await a.refused("node_create", { ...first, parentId: task, rulesHash: made.rulesHash }, "EXECUTION_CANNOT_HAVE_CHILDREN");
	const life = "start implementing, submit validating, complete completed, reopen implementing, fail failed, retry implementing, complete completed";
	await a.call("node_transition", { nodeId: task, action: "start", dryRun: true });
	let concluded = false;
	for (const [action, status] of life.split(", ").map((step) => step.split(" "))) {
		const ends = action === "complete" || action === "fail";
		if (status === "completed" && !concluded) await a.refused("node_transition", { nodeId: task, action }, "CONCLUSION_REQUIRED", "conclusion");
		concluded ||= ends;
		const out = await a.call("node_transition", { nodeId: task, action, conclusion: ends ? conclusionOf("Build: people #1") : undefined });
		assert.equal(out.currentStatus, status);
	}
	shown("a node starts, is submitted, completes, reopens, fails, is retried and completes; refusals name what is allowed");

	const other = ids["Build: things #2"];
	const link = (action, targetIdOrPath) => a.call("node_reference", { nodeId: other, targetIdOrPath, action });
	await link("add", task);
	await link("add", "README.md");
	await link("expire", "README.md");
	const ctx = await a.call("context_get", { nodeId: other });
	assert.deepEqual(ctx.chain.map((n) => n.title), [`Plan over ${way}`, "Build", "Build: things", "Build: things #2"]);
	assert.deepEqual([ctx.workspace.rules, ctx.workspace.rulesHash], [rules, made.rulesHash]);
	assert.deepEqual(ctx.references.map((r) => r.conclusion.trim()), [conclusionOf("Build: people #1")]);
	const area = await b.call("context_get", { nodeId: ids["Build: people"] });
	assert.deepEqual(area.childConclusions.map((c) => [c.title, c.conclusion.trim()]), [["Build: people #1", conclusionOf("Build: people #1")]]);
	const { content } = await a.client.callTool({ name: "context_get", arguments: { nodeId: other, format: "markdown" } });
	for (const text of [...rules, "What *Build: things #2* is to bring.", "it works"]) assert(content[0].text.includes(text), `the context lacks ${text}`);
	shown("context_get brings rules, the chain, conclusions and references, as data and as Markdown");

	await people(shown, dir, a, b, ws, ids);
	await reading(shown, a, ws, ids);
	await taking(shown, dir, a, b, ids["Ship"], made.rulesHash);

	const given = (await Promise.all([a, b].map((x) => x.call("node_next", { claim: true, count: 4, verbose: true })))).flatMap((out) => out.nodes ?? []);
	assert.equal(new Set(given.map((n) => n.id)).size, 8, "claims of two clients at once");
	await Promise.all(given.map((n, i) => work(i < 4 ? a : b, n, i + 1)));
	await Promise.all([handOut(a, given), handOut(b, given)]);
	assert.equal(new Set(given.map((n) => n.id)).size, given.length, "a node was handed out twice");
	assert.equal(given.length, 29, "all but the one that was done before");
	const end = await b.call("workspace_get");
	assert.deepEqual(end.workspace.rules, [...rules, "Ask before you buy"]);
	assert(end.workspace.docs.some((d) => d.path === "docs/sources.md"));
	await a.refused("node_create", { ...first, rulesHash: made.rulesHash, cascade: true }, "RULES_HASH_MISMATCH");
	assert.deepEqual([end.counts.total, (end.counts.byStatus.completed ?? 0) + (end.counts.byStatus.failed ?? 0)], [30, 30]);
	assert.equal((await a.call("node_get", { nodeId: "root" })).node.status, "completed");
	whole(dir);
	shown(`two clients took ${given.length} nodes in turns, none twice, up to the completed root; what was collected joined the rules; arbor check finds nothing`);
	await a.call("node_transition", { nodeId: "root", action: "reopen" });
	return { ws, rulesHash: end.workspace.rulesHash };
}

// people changes files as editors do while both work: subscribers are notified, and changes_get names what changed.
async function people(shown, dir, a, b, ws, ids) {
	const [one, two, three] = [1, 2, 3].map((n) => ids[`Ship: things #${n}`]);
	const fileOf = async (id) => join(dir, (await b.call("node_get", { nodeId: id, verbose: true })).node.path);
	const uri = (id, view = "nodes") => `arbor://${ws}/${view}/${id}`;
	await a.call("changes_get");
	for (const u of [uri(one), uri(two), uri(one, "context")]) await within(a.client.subscribeResource({ uri: u }), u);
	a.updates.length = 0;
	const [vims, code] = [await fileOf(one), await fileOf(two)];
	saveAsVim(vims, readFileSync(vims, "utf8").replace("Ship: things #1", "Ship: things, first").replace("is to bring.", "is to bring, by noon."));
	await a.told(uri(one), uri(one, "context"));
	assert((await a.read(uri(one))).includes("by noon"));
	assert(!a.updates.includes(uri(two)), "a file that nobody touched is said to have changed");
	saveInPlace(code, `${readFileSync(code, "utf8").trimEnd()}\n\n## Note\n\nAsk Maya first.\n`);
	await a.told(uri(two));
	assert.equal((await a.call("node_get", { nodeId: two })).node.note.trim(), "Ask Maya first.");
	assert.deepEqual(b.updates, [], "who asked for nothing is told");
	shown("saves as of Vim, and saves in place, are notified to clients that subscribed to the node or its context");

	await b.call("log_append", { nodeId: three, operator: "AI", event: "looked in" });
	await a.call("log_append", { nodeId: ids["Try it"], operator: "AI", event: "looked in, too" }); // of which a is not notified
	assert.equal((await a.call("context_get", { nodeId: three })).changes, 3);
	const { changes } = await a.call("changes_get");
	const of = (id) => changes.find((c) => c.nodeId === id);
	assert.deepEqual([of(one).kind, of(one).fields, of(one).sections], ["changed", ["title"], ["Requirement"]]);
	assert.deepEqual([of(two).kind, of(two).fields ?? [], of(two).sections], ["changed", [], ["Note"]]);
	assert.deepEqual(of(three).sections, ["Log"]);
	assert.equal((await a.call("context_get", { nodeId: three })).changes ?? 0, 0);
	for (const u of [uri(one), uri(two), uri(one, "context")]) await within(a.client.unsubscribeResource({ uri: u }), u);
	shown("context_get counts three files that others changed; changes_get names fields and sections, and then nothing more");
}

// reading reads resources, completes arguments, gets prompts, and asks for progress.
async function reading(shown, a, ws, ids) {
	const { resources } = await a.client.listResources();
	const { resourceTemplates } = await a.client.listResourceTemplates();
	assert.equal(resourceTemplates.length, 4);
	for (const { uri } of resources.filter((r) => r.uri.includes(ws))) assert((await a.read(uri)).includes("Plan over"), uri);
	for (const { uriTemplate } of resourceTemplates) {
		const uri = uriTemplate.replace("{?from}", "").replace("{workspace}", ws).replace("{id}", ids["Try it"]);
		assert.match(await a.read(uri), uri.includes("/workspace") ? /## Rules/ : /Try it/);
	}
	await assert.rejects(a.client.readResource({ uri: `arbor://${ws}/nodes/node-nosuch` }), /not found/);
	const ref = { type: "ref/resource", uri: resourceTemplates.find((t) => t.name === "nodes").uriTemplate };
	const context = { arguments: { workspace: ws } };
	const complete = async (value) => (await a.client.complete({ ref, argument: { name: "id", value }, context })).completion.values;
	assert.deepEqual(await complete("collect the"), [ids["Collect the rules"]]);
	assert((await complete("")).length === 30 && (await complete("node-")).length === 29);
	const { prompts } = await a.client.listPrompts();
	for (const p of prompts) {
		const args = { name: p.name === "start-workspace" ? "Next" : ws, text: "Ports are 8443.", goal: "Go on", node: ids["Build: things"], workspace: ws };
		const given = Object.fromEntries((p.arguments ?? []).map(({ name }) => [name, args[name]]));
		const { messages } = await a.client.getPrompt({ name: p.name, arguments: given });
		const text = messages.map((m) => m.content.text ?? m.content.resource.text).join("\n");
		const told = { "start-workspace": "Go on", help: "", load: "", remember: "" }[p.name] ?? rules[0];
		assert(text.length > 50 && text.includes(told) || text.includes("Show that it works"), `${p.name}: ${text}`);
	}
	shown(`${resourceTemplates.length} templates are read, ids are completed from titles, ${prompts.length} prompts are filled in`);

	await a.call("workspace_check", {}, { _meta: { progressToken: "check" } });
	const steps = a.progress.filter((p) => p.progressToken === "check");
	assert(steps.length >= 2 && steps.every((p, i) => i === 0 || p.progress > steps[i - 1].progress) && steps.at(-1).progress === steps.at(-1).total, JSON.stringify(steps));
	shown(`workspace_check tells its progress in ${steps.length} steps`);
}

// taking deletes nodes: a client that can be asked is asked, the other one must confirm; and a call is cancelled while its
// question is open.
async function taking(shown, dir, a, b, parentId, rulesHash) {
	const make = async (title) => (await b.call("node_create", { parentId, type: "execution", title, requirement: "x", rulesHash })).nodeId;
	const there = async (nodeId) => (await b.client.callTool({ name: "node_get", arguments: { nodeId } })).isError !== true;
	const nodeId = await make("Not needed");
	const asked = [];
	const answers = [{ action: "decline" }, { action: "cancel" }, { action: "accept", content: { confirm: false } }, { action: "accept", content: { confirm: true } }];
	a.answer = ({ message }) => (asked.push(message), answers.shift());
	for (let i = 0; i < 3; i++) await a.refused("node_delete", { nodeId }, "CONFIRMATION_REQUIRED", "did not agree");
	assert(await there(nodeId));
	const { trash } = await a.call("node_delete", { nodeId });
	assert(!(await there(nodeId)) && existsSync(resolve(dir, trash)), trash);
	assert(asked.length === 4 && asked.every((m) => m.includes(nodeId)), asked.join("\n"));
	const next = await make("Not needed either");
	await b.refused("node_delete", { nodeId: next }, "CONFIRMATION_REQUIRED", "confirm: true");
	assert(await there(next));
	await b.call("node_delete", { nodeId: next, confirm: true });
	assert(!(await there(next)));
	shown("a deletion is asked for, declined and accepted; a client that cannot ask has to confirm");

	const last = await make("Undecided");
	const [thinks, withdrawn] = [Promise.withResolvers(), Promise.withResolvers()];
	// Over HTTP the question came by the stream of its call, which may have ended when it is withdrawn.
	const over = a.transport instanceof Wire ? withdrawn.promise : Promise.race([withdrawn.promise, a.gone.promise]);
	a.answer = async (_, { signal }) => {
		signal.addEventListener("abort", withdrawn.resolve);
		thinks.resolve();
		await over;
		return { action: "accept", content: { confirm: true } };
	};
	const stop = new AbortController();
	const call = assert.rejects(a.client.callTool({ name: "node_delete", arguments: { nodeId: last } }, undefined, { signal: stop.signal }));
	await within(thinks.promise, "the question");
	stop.abort("changed my mind");
	await call;
	await within(over, "the end of the question");
	await a.client.ping();
	assert(await there(last));
	await b.call("node_delete", { nodeId: last, confirm: true });
	shown("a call is cancelled while its question is open: an answer that comes too late changes nothing");
}

// many has each client make 100 writes without waiting for an answer, and looks for them in the files.
async function many(shown, dir, clients, { ws, rulesHash }, what) {
	const to = { workspaceId: ws };
	const { nodeId } = await clients[0].call("node_create", { ...to, parentId: "root", type: "planning", title: what, requirement: "x", rulesHash });
	const [events, titles] = [[], []];
	const write = (client, name, i) => {
		if (i % 4 === 3) return titles.push(name), client.call("node_create", { ...to, parentId: nodeId, type: "execution", title: name, requirement: "x", rulesHash });
		return events.push(name), client.call("log_append", { ...to, nodeId: i % 4 ? nodeId : "root", operator: "AI", event: name });
	};
	const calls = clients.flatMap((client, k) => Array.from({ length: 100 }, (_, i) => write(client, `${what}, ${k}, ${i}`, i)));
	const results = await Promise.all(calls);
	assert(results.every((r) => r.success && r.changed));
	assert.deepEqual(entries(dir, what).sort(), events.sort());
	const { tree } = await clients.at(-1).call("node_list", { ...to, rootId: nodeId });
	assert.deepEqual(tree[0].children.map((n) => n.title).sort(), titles.sort());
	shown(`${what}: ${calls.length} calls are acknowledged, ${events.length} log entries and ${titles.length} nodes are there, once each`);
}

const most = 400; // writes of a client that is killed

// victim writes until it is killed, and prints what was acknowledged, after the id of its server if it has its own.
async function victim(dir, workspaceId, words, url, token) {
	const transport = url ? reach(url, token) : new StdioClientTransport({ command: arbor, args: ["mcp"], cwd: dir, stderr: "inherit" });
	const a = await new Assistant("victim", false).connect(transport);
	console.log(transport.pid ?? "");
	for (let i = 0; i < most; i++) {
		const event = `${words}, ${i}`;
		a.call("log_append", { workspaceId, nodeId: "root", operator: "AI", event }).then(() => console.log(event));
	}
}

// killed kills a client while it writes. A server of its own ends with it: its stderr is the client's, which closes with the last of the two.
// settle ends any other server. Acknowledged writes are in the files, none is there twice or in half, and the vault is whole.
async function killed(shown, dir, { ws }, answers, server, settle = () => {}) {
	const words = `last words after ${answers}`;
	const client = start(process.execPath, [process.argv[1], arbor, dir, "victim", ws, words, ...server], { stdio: ["ignore", "pipe", "pipe"] });
	let said = "";
	client.stderr.on("data", (d) => (said += d));
	const acks = [];
	createInterface({ input: client.stdout }).on("line", (line) => acks.push(line) > answers && client.kill("SIGKILL"));
	const over = new Promise((resolve) => client.on("close", (_, signal) => resolve(signal)));
	const signal = await within(over, `the end of the server ${acks[0]}`).catch((e) => {
		if (acks[0]) process.kill(Number(acks[0]), "SIGKILL");
		throw e;
	});
	assert.deepEqual([signal, said], ["SIGKILL", ""]);
	await settle();
	const found = entries(dir, `${words}, `);
	assert.equal(new Set(found).size, found.length, "something was written twice");
	for (const event of acks.slice(1)) assert(found.includes(event), `${event} was acknowledged and is not there`);
	shown(`a client is killed after ${acks.length - 1} answers: ${found.length} of its ${most} writes are there, the vault is whole, no file is left over`);
}

async function overStdio() {
	const dir = project("stdio");
	const shown = (text) => console.log(`stdio: ${text}`);
	const [a, b] = await Promise.all([true, false].map((asks, i) => new Assistant(`stdio-${i}`, asks).connect(new Wire(dir))));
	const made = await plan(shown, "stdio", dir, a, b);
	await many(shown, dir, [a], made, "on one connection");
	await many(shown, dir, [a, b], made, "two servers");
	await Promise.all([a.close(), b.close()]);
	shown(`stdout carried ${a.transport.lines + b.transport.lines} messages and nothing else, stderr nothing; the servers end with their clients`);
	for (const answers of [1, 10, 40, 120]) await killed(shown, dir, made, answers, []);
}

async function overHTTP() {
	const dir = project("http");
	const shown = (text) => console.log(`http: ${text}`);
	execFileSync(arbor, ["-q", "init", "Another", "--goal", "to be in doubt which is meant"], { cwd: dir });
	const server = await serve(dir);
	const connect = (asks, i) => new Assistant(`http-${i}`, asks).connect(reach(server.url, server.token));
	const [a, b] = await Promise.all([true, false].map(connect));
	const c = await new Assistant("beside", false).connect(new Wire(dir));
	const made = await plan(shown, "http", dir, a, b);
	await many(shown, dir, [a], made, "on one connection");
	await many(shown, dir, [a, c], made, "two servers");
	await Promise.all([b.close(), c.close()]);
	await killed(shown, dir, made, 20, [server.url, server.token], async () => {
		await a.call("workspace_get");
		await a.close();
		await server.end();
	});
	shown("other clients of the server went on; it ends when it is told to");
}

if (process.argv[4] === "victim") await victim(process.argv[3], ...process.argv.slice(5));
else {
	await overStdio();
	await overHTTP();
}
