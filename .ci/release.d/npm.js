#!/usr/bin/env node
// Runs the program of the package for this platform, which npm has installed as an optional dependency.
"use strict";
const { spawn } = require("node:child_process");
const { signals } = require("node:os").constants;

const name = `@OWNER/arbor-${process.platform}-${process.arch}`;
let program;
try {
  program = require.resolve(`${name}/arbor${process.platform === "win32" ? ".exe" : ""}`);
} catch {
  console.error(`arbor: the package ${name} is missing. There is one for linux, darwin and win32 with x64 and arm64;`);
  console.error("npm leaves it out with --omit=optional, or if node_modules was copied from another platform.");
  process.exit(1);
}
const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
child.on("error", (err) => {
  console.error(`arbor: ${err.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => process.exit(signal ? 128 + signals[signal] : code));
process.on("SIGINT", () => {}); // the terminal sends it to the program, too
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
