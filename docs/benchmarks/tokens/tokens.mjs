// Counts the tokens (o200k) that a plan of 30 nodes in 165 calls costs a model. See README.md.
//
//   npm install && node tokens.mjs [PROGRAM]        PROGRAM is arbor, found by PATH, unless given

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { connect } from './client.mjs';
import { play } from './plan.mjs';

const most = 22000; // the target for all replies of the 165 calls
const program = process.argv[2] ?? 'arbor';
const folder = mkdtempSync(join(tmpdir(), 'arbor-tokens-'));
const rows = new Map(); // tool -> { calls, sent, received, bytes }
let least = Infinity, greatest = 0; // what contexts state, as a part of what they take
try {
  const server = await connect(program, folder);
  const tools = await server.request('tools/list', {});
  await play(async (tool, args) => {
    const text = await server.call(tool, args);
    const row = rows.get(tool) ?? { calls: 0, sent: 0, received: 0, bytes: 0 };
    const tokens = countTokens(text);
    rows.set(tool, row);
    row.calls++;
    row.sent += countTokens(JSON.stringify(args));
    row.received += tokens;
    row.bytes += Buffer.byteLength(text);
    if (process.env.SHOW === tool) console.error(text);
    const data = JSON.parse(text);
    if (tool === 'context_get') [least, greatest] = [Math.min(least, data.tokens / tokens), Math.max(greatest, data.tokens / tokens)];
    return data;
  });
  const text = await connect(program, folder, ['--replies', 'text']).catch(() => null);
  const bare = (list) => list.tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  const offered = countTokens(JSON.stringify(bare(tools)));
  const hello = countTokens(server.hello.instructions);
  const whole = Buffer.byteLength(JSON.stringify(tools));
  const small = text ? Buffer.byteLength(JSON.stringify(await text.request('tools/list', {}))) : 0;
  await server.close();
  await text?.close();

  const sum = (key) => [...rows.values()].reduce((n, row) => n + row[key], 0);
  console.log('| tool | calls | tokens sent | tokens received | received per call |\n|---|---|---|---|---|');
  const line = (name, calls, sent, received) =>
    console.log(`| ${name} | ${calls} | ${sent} | ${received} | ${Math.round(received / calls)} |`);
  for (const [tool, row] of rows) line(tool, row.calls, row.sent, row.received);
  line('**all**', sum('calls'), sum('sent'), sum('received'));
  console.log(`\nThe target is ${most} tokens received. Names, descriptions and parameters of all tools: ${offered} tokens;` +
    ` instructions: ${hello}.\ntools/list: ${small} bytes with --replies text, ${whole} without.` +
    `\nBytes per token of the replies: ${(sum('bytes') / sum('received')).toFixed(2)}.` +
    ` Contexts state ${Math.round(100 * least)} to ${Math.round(100 * greatest)} % of the tokens that they take.`);
  if (sum('received') > most) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
