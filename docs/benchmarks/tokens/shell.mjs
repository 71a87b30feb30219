// Counts the tokens (o200k) of the 165 calls of plan.mjs as commands: what a model types, and what is printed. See
// README.md.
//
//   npm install && node shell.mjs [PROGRAM]        PROGRAM is arbor, found by PATH, unless given

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { play } from './plan.mjs';

const program = process.argv[2] ?? 'arbor';
const cwd = mkdtempSync(join(tmpdir(), 'arbor-shell-'));
const env = { ...process.env, ARBOR_OPERATOR: 'AI', ARBOR_SESSION: 'session-1' };
const sum = { calls: 0, typed: 0, stdout: 0, stderr: 0 };

function run(...words) {
  const r = spawnSync(program, words, { cwd, env, encoding: 'utf8' });
  if (r.status !== 0) throw new Error(`arbor ${words.join(' ')}: ${r.stderr}`);
  sum.calls++;
  sum.typed += countTokens(['arbor', ...words].join(' '));
  sum.stdout += countTokens(r.stdout);
  sum.stderr += countTokens(r.stderr);
  return r.stdout;
}

let hash; // of the rules
const commands = {
  workspace_init: (a) => run('init', a.name, '--goal', a.goal, ...a.rules.flatMap((rule) => ['--rule', rule])),
  session_bind: () => { [hash] = run('rules').match(/[0-9a-f]{8}/); },
  node_create: (a) => run('add', a.title, '-p', a.parentId, '-t', a.type, '-m', a.requirement, '--rules-hash', hash),
  node_list: () => run('list'),
  node_transition: (a) => run(a.action, a.nodeId, ...(a.conclusion ? ['-m', a.conclusion] : [])),
  context_get: (a) => run('context', a.nodeId),
  log_append: (a) => run('log', a.nodeId, a.event),
  problem_update: (a) => run('problem', a.nodeId, a.problem, '--next', a.nextStep),
  problem_clear: (a) => run('problem', a.nodeId, '--clear'),
  workspace_status: () => run('status'),
};

try {
  await play(async (tool, args) => {
    commands[tool](args);
    return { nodeId: args.title, rulesHash: hash }; // nodes are named by their titles
  });
  const { calls, typed, stdout, stderr } = sum;
  console.log(`| commands | typed | stdout | stderr |\n|---|---|---|---|\n| ${calls} | ${typed} | ${stdout} | ${stderr} |`);
} finally {
  rmSync(cwd, { recursive: true, force: true });
}
