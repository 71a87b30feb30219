// A proxy on 127.0.0.1 that adds a bearer token: node proxy.mjs URL TOKENFILE [NAME OTHERNAME]. It passes everything
// else on unchanged, Host and Origin too, but for its own address, which becomes the server's, and NAME in the body of a
// request, which becomes OTHERNAME.
import { createServer, request } from "node:http";
import { readFileSync } from "node:fs";

const target = new URL(process.argv[2]);
const token = readFileSync(process.argv[3], "utf8").trim();
const [name, otherName] = process.argv.slice(4);

const server = createServer((req, res) => {
	const own = `127.0.0.1:${server.address().port}`;
	const headers = ["Authorization", `Bearer ${token}`];
	for (let i = 0; i < req.rawHeaders.length; i += 2) {
		let [header, value] = req.rawHeaders.slice(i, i + 2);
		if (/^(authorization|content-length|transfer-encoding)$/i.test(header)) continue;
		if (/^host$/i.test(header) && value === own) value = target.host;
		if (/^origin$/i.test(header) && value === `http://${own}`) value = `http://${target.host}`;
		headers.push(header, value);
	}
	const parts = [];
	req.on("data", (part) => parts.push(part));
	req.on("end", () => {
		let body = Buffer.concat(parts);
		if (name) body = Buffer.from(body.toString().replaceAll(name, otherName));
		if (body.length) headers.push("Content-Length", String(body.length));
		const onward = request({ host: target.hostname, port: target.port, method: req.method, path: req.url, headers, agent: false }, (answer) => {
			res.writeHead(answer.statusCode, answer.rawHeaders);
			res.flushHeaders();
			answer.pipe(res);
			answer.on("error", () => res.destroy());
		});
		onward.on("error", () => (res.headersSent ? res.destroy() : res.writeHead(502).end()));
		res.on("close", () => onward.destroy());
		onward.end(body);
	});
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}${target.pathname}`));
