// Prints a line for each scenario of a run of the conformance suite, and the failed checks of those that fail: node
// verdicts.mjs FOLDER LOG LEAST. It fails when a required scenario fails, or when fewer than LEAST of them passed, as then
// the suite did not run all of them. The log of the suite says which ones are not required, extensions above all.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const [folder, log, least] = process.argv.slice(2);
const optional = new Map([...readFileSync(log, "utf8").matchAll(/^ +[✓✗] (\S+) \(([^)]+)\)$/gm)].map((m) => [m[1], m[2]]));
const counted = { passed: 0, failed: 0 };
for (const name of readdirSync(folder).sort()) {
	const checks = JSON.parse(readFileSync(join(folder, name, "checks.json"), "utf8"));
	const of = (status) => checks.filter((c) => c.status === status);
	const [good, bad, odd] = [of("SUCCESS"), of("FAILURE"), of("WARNING")];
	const scenario = name.replace(/^server-/, "").replace(/-\d{4}-\d\d-\d\dT.*$/, "");
	const why = optional.get(scenario);
	const verdict = bad.length ? "failed" : good.length ? "passed" : "empty";
	if (!why) counted[verdict === "passed" ? "passed" : "failed"]++;
	const numbers = [`${good.length} checks`, bad.length && `${bad.length} failed`, odd.length && `${odd.length} warnings`, why && `does not count: ${why}`];
	console.log(`${verdict}  ${scenario}: ${numbers.filter(Boolean).join(", ")}`);
	if (!why) for (const c of [...bad, ...odd]) console.log(`        ${c.id}: ${c.errorMessage ?? c.description}`);
}
if (counted.passed + counted.failed > 1) console.log(`${counted.passed} passed, ${counted.failed} failed of those that count`);
if (counted.failed > 0 || counted.passed < Number(least)) {
	if (counted.passed < Number(least)) console.log(`at least ${least} were to pass`);
	process.exit(1);
}
