// Counts the tokens (o200k) that three assistants send and read for a plan of 30 nodes in four waves: with dependencies,
// and the same plan without. See README.md.
//
//   npm install && node waves.mjs [PROGRAM]        PROGRAM is arbor, found by PATH, unless given

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { connect } from './client.mjs';

const program = process.argv[2] ?? 'arbor';
const sizes = [6, 9, 9, 6];
const conclusion = (title) => `The ${title} is built and covered by 12 tests. Bad input is answered with 422.`;

/** nodes returns the children of the plan: each depends on two nodes of the wave before. */
function nodes(dependent) {
  const all = [];
  sizes.forEach((size, wave) => {
    for (let i = 0; i < size; i++) {
      const node = { title: `Part ${wave + 1}.${i + 1}`, requirement: 'Build it, and cover the error paths with tests.' };
      if (dependent && wave > 0) {
        node.dependencies = [i, i + 1].map((k) => `Part ${wave}.${(k % sizes[wave - 1]) + 1}`);
      }
      all.push(node);
    }
  });
  return all;
}

/** play works the plan with three sessions, each with a claim, and returns the tokens. */
async function play(dependent) {
  const folder = mkdtempSync(join(tmpdir(), 'arbor-waves-'));
  const sum = { calls: 0, sent: 0, received: 0 };
  const counted = async (server, tool, args) => {
    const text = await server.call(tool, args);
    sum.calls++;
    sum.sent += countTokens(JSON.stringify(args));
    sum.received += countTokens(text);
    return JSON.parse(text);
  };
  const first = await connect(program, folder);
  const workspaceId = (await counted(first, 'workspace_init', { name: 'Portal', goal: 'Customers see their bills.' })).workspaceId;
  await counted(first, 'node_create', { parentId: 'root', type: 'planning', title: 'Plan', children: nodes(dependent) });
  const assistants = [];
  for (const sessionId of ['s1', 's2', 's3']) {
    const server = await connect(program, folder);
    await counted(server, 'session_bind', { sessionId, workspaceId });
    assistants.push({ server });
  }
  for (let done = 0; done < 30;) {
    for (const a of assistants) {
      if (a.node) {
        await counted(a.server, 'node_transition', { nodeId: a.node.nodeId, action: 'complete', conclusion: conclusion(a.node.title) });
        a.node = undefined;
        done++;
      }
    }
    for (const a of assistants) {
      const [next] = (await counted(a.server, 'node_next', { claim: true })).next ?? [];
      const [, nodeId, type, title] = next?.match(/^(\S+) (\S+) \S+ (.*?) · /) ?? [];
      if (!next || type === 'planning') continue;
      await counted(a.server, 'node_transition', { nodeId, action: 'start', context: true });
      a.node = { nodeId, title };
    }
  }
  await Promise.all([first, ...assistants.map((a) => a.server)].map((s) => s.close()));
  rmSync(folder, { recursive: true });
  return sum;
}

console.log('| plan | calls | tokens sent | tokens received |\n|---|---|---|---|');
for (const dependent of [true, false]) {
  const { calls, sent, received } = await play(dependent);
  console.log(`| ${dependent ? 'with dependencies' : 'without'} | ${calls} | ${sent} | ${received} |`);
}
