// A proxy on 127.0.0.1 that adds a bearer token: node proxy.mjs URL TOKENFILE. Everything else is passed on as it comes, Host and Origin too,
// except that the proxy's own address becomes that of the server, as its name there.
import { createServer, request } from "node:http";
import { readFileSync } from "node:fs";

const target = new URL(process.argv[2]);
const token = readFileSync(process.argv[3], "utf8").trim();

const server = createServer((req, res) => {
	const own = `127.0.0.1:${server.address().port}`;
	const headers = [];
	for (let i = 0; i < req.rawHeaders.length; i += 2) {
		let [name, value] = req.rawHeaders.slice(i, i + 2);
		if (/^authorization$/i.test(name)) continue;
		if (/^host$/i.test(name) && value === own) value = target.host;
		if (/^origin$/i.test(name) && value === `http://${own}`) value = `http://${target.host}`;
		headers.push(name, value);
	}
	headers.push("Authorization", `Bearer ${token}`);
	const onward = request({ host: target.hostname, port: target.port, method: req.method, path: req.url, headers, agent: false }, (answer) => {
		res.writeHead(answer.statusCode, answer.rawHeaders);
		res.flushHeaders();
		answer.pipe(res);
		answer.on("error", () => res.destroy());
	});
	onward.on("error", () => (res.headersSent ? res.destroy() : res.writeHead(502).end()));
	res.on("close", () => onward.destroy());
	req.pipe(onward);
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}${target.pathname}`));
