// For client.mjs: the TypeScript SDK's client with every answer checked, transports that check all output, and deadlines.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema, JSONRPCMessageSchema, ProgressNotificationSchema, ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";

export const arbor = process.argv[2];
export const vault = ".tanmi-workspace";
const longest = 30_000; // milliseconds that anything may take
const children = new Set();
process.on("exit", () => children.forEach((c) => c.kill("SIGKILL")));
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(1));

// within waits for an event, and fails after a while.
export async function within(promise, what) {
	let timer;
	const late = new Promise((_, reject) => (timer = setTimeout(reject, longest, new Error(`${what}: nothing in ${longest / 1000} s`))));
	return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

// start starts a process, which is killed at the end unless it has ended.
export function start(command, args, options) {
	const c = spawn(command, args, options);
	children.add(c.on("close", () => children.delete(c)));
	return c;
}

function isMessage(line) {
	try {
		return JSONRPCMessageSchema.safeParse(JSON.parse(line)).success;
	} catch {
		return false;
	}
}

// A Wire starts an arbor mcp of its own. Every line of the server's stdout must be a message, and its stderr stay empty.
export class Wire extends StdioClientTransport {
	lines = 0;
	said = "";

	constructor(project) {
		super({ command: arbor, args: ["mcp"], cwd: project, stderr: "pipe" });
		this.stderr.on("data", (d) => (this.said += d));
	}

	async start() {
		await super.start();
		this.server = this._process; // the SDK shows no stdout
		this.ended = new Promise((resolve) => this.server.on("close", (code, signal) => resolve(signal ?? code)));
		children.add(this.server);
		createInterface({ input: this.server.stdout }).on("line", (line) => {
			this.lines++;
			assert(isMessage(line), `stdout carries what is no message: ${line}`);
		});
	}
}

// An Assistant is a client. The SDK checks every result of a tool against the schema that the tool declares.
export class Assistant {
	faults = [];
	updates = []; // URIs of resources that the server said have changed
	progress = [];
	gone = Promise.withResolvers(); // when the server has ended a call that was cancelled
	answer = () => assert.fail("the client is asked although nothing is taken away");
	#wake = Promise.withResolvers();

	constructor(name, asks) {
		this.client = new Client({ name, version: "1.0.0" }, { capabilities: asks ? { elicitation: {} } : {} });
		this.client.onerror = (e) => {
			if (/unknown message ID: .*cancel/.test(e.message)) this.gone.resolve(); // an answer to a call that was cancelled, which may still come
			else this.faults.push(e.message);
		};
		if (asks) this.client.setRequestHandler(ElicitRequestSchema, (req, extra) => this.answer(req.params, extra));
		this.client.setNotificationHandler(ProgressNotificationSchema, ({ params }) => void this.progress.push(params));
		this.client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
			this.updates.push(params.uri);
			this.#wake.resolve();
			this.#wake = Promise.withResolvers();
		});
	}

	// connect returns when the server's notifications reach the client, too.
	async connect(transport) {
		this.transport = transport;
		await within(this.client.connect(transport), "connect");
		await within(transport.listening ?? Promise.resolve(), "the stream of news");
		this.tools = (await this.client.listTools()).tools;
		return this;
	}

	async call(tool, args = {}, options = {}) {
		const res = await within(this.client.callTool({ name: tool, arguments: { verbose: true, ...args }, _meta: options._meta }, undefined, options), tool);
		if (res.isError) throw new Error(`${tool} ${JSON.stringify(args)}: ${res.content[0].text}`);
		if (args.format !== "markdown") assert.deepEqual(JSON.parse(res.content[0].text), res.structuredContent, `${tool}: the text is not the data`);
		return res.structuredContent;
	}

	// refused returns the text of a call that must fail: it begins with the code and has the words.
	async refused(tool, args, code, ...words) {
		const res = await within(this.client.callTool({ name: tool, arguments: args }), tool);
		const text = res.content?.[0]?.text ?? "";
		assert(res.isError && text.startsWith(`${code}: `), `${tool} ${JSON.stringify(args)} answers ${text}; ${code} is expected`);
		if (res.structuredContent) assert.equal(res.structuredContent.error?.code, code);
		for (const w of words) assert(text.includes(w), `${tool}: ${text}: lacks ${w}`);
		return text;
	}

	async read(uri) {
		const { contents } = await within(this.client.readResource({ uri }), uri);
		assert.equal(contents[0].uri, uri);
		assert.equal(contents[0].mimeType, "text/markdown");
		return contents[0].text;
	}

	// told returns when the server has notified the client of each of the resources.
	async told(...uris) {
		const all = (async () => {
			while (!uris.every((u) => this.updates.includes(u))) await this.#wake.promise;
		})();
		await within(all, `news of ${uris.join(", ")}, beside ${this.updates.join(", ")}`);
	}

	async close() {
		assert.deepEqual(this.faults, [], "the client complains");
		if (!(this.transport instanceof Wire)) await this.transport.terminateSession();
		await this.client.close();
		if (!(this.transport instanceof Wire)) return;
		assert.equal(await within(this.transport.ended, "the end of the server"), 0, "exit code of arbor mcp");
		assert.equal(this.transport.said, "", "stderr of arbor mcp");
		assert(this.transport.lines > 0);
	}
}

// serve starts arbor serve for a project.
export async function serve(project) {
	const server = start(arbor, ["serve", "--listen", "127.0.0.1:0"], { cwd: project });
	const ended = new Promise((resolve) => server.on("close", (code, signal) => resolve(signal ?? code)));
	let said = "";
	server.stderr.on("data", (d) => (said += d));
	const line = new Promise((resolve) => createInterface({ input: server.stdout }).once("line", resolve));
	const url = await within(Promise.race([line, ended.then((how) => assert.fail(`arbor serve ends with ${how}: ${said}`))]), "arbor serve");
	const token = readFileSync(join(project, vault, ".local/token"), "utf8").trim();
	const end = async () => {
		server.kill("SIGTERM");
		assert.equal(await within(ended, "the end of arbor serve"), 0, `exit code of arbor serve: ${said}`);
	};
	return { url, token, end };
}

// reach returns a transport to a server over HTTP that says when its stream of notifications is open.
export function reach(url, token) {
	const open = Promise.withResolvers();
	const t = new StreamableHTTPClientTransport(new URL(url), {
		requestInit: { headers: { Authorization: `Bearer ${token}` } },
		fetch: async (to, init) => {
			const res = await fetch(to, init);
			if (init.method === "GET") res.ok ? open.resolve() : open.reject(new Error(`the stream of news: ${res.status}`));
			return res;
		},
	});
	t.listening = open.promise;
	return t;
}
