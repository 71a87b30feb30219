// Counts the tokens (o200k) that a plan of 30 nodes costs a model, in 165 calls and in as few as do. See README.md.
//
//   npm install && node tokens.mjs [PROGRAM]        PROGRAM is arbor, found by PATH, unless given

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { connect } from './client.mjs';
import { play, playShort } from './plan.mjs';

const most = { tokens: 14000, calls: 90 }; // the targets: all replies of the 165 calls; the calls of the short run
const program = process.argv[2] ?? 'arbor';
const folders = [];
const folder = () => folders[folders.push(mkdtempSync(join(tmpdir(), 'arbor-tokens-'))) - 1];
let least = Infinity, greatest = 0; // what contexts state, as a part of what they take

/** measure plays a plan in a new folder, and returns rows: tool -> { calls, sent, received, bytes }. With have, contexts
 * leave out what the one before it had. */
async function measure(play, have = false) {
  const rows = new Map(), versions = new Map(); // by id
  let before = [];
  const server = await connect(program, folder());
  await play(async (tool, args) => {
    if (have && (tool === 'context_get' || args.context)) {
      args = { ...args, have: before.filter((id) => versions.has(id)).map((id) => `${id}@${versions.get(id)}`) };
    }
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
    const context = have && (data.chain ? data : data.context);
    if (context) {
      for (const v of context.have ?? []) versions.set(...v.split('@'));
      before = ['workspace', ...context.chain.map((part) => part.nodeId)];
    }
    for (const [context, taken] of [[data, tokens], [data.context, data.context && countTokens(JSON.stringify(data.context))]]) {
      if (!context?.chain) continue;
      [least, greatest] = [Math.min(least, context.tokens / taken), Math.max(greatest, context.tokens / taken)];
    }
    return data;
  });
  await server.close();
  return rows;
}

const sum = (rows, key) => [...rows.values()].reduce((n, row) => n + row[key], 0);

function print(rows) {
  console.log('| tool | calls | tokens sent | tokens received | received per call |\n|---|---|---|---|---|');
  const line = (name, calls, sent, received) =>
    console.log(`| ${name} | ${calls} | ${sent} | ${received} | ${Math.round(received / calls)} |`);
  for (const [tool, row] of rows) line(tool, row.calls, row.sent, row.received);
  line('**all**', sum(rows, 'calls'), sum(rows, 'sent'), sum(rows, 'received'));
}

try {
  const rows = await measure(play), short = await measure(playShort);
  const had = await measure(play, true), shortHad = await measure(playShort, true);
  const server = await connect(program, folder()), text = await connect(program, folder(), ['--replies', 'text']);
  const tools = await server.request('tools/list', {});
  const bare = (list) => list.tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  const offered = countTokens(JSON.stringify(bare(tools)));
  const hello = countTokens(server.hello.instructions);
  const whole = Buffer.byteLength(JSON.stringify(tools));
  const small = Buffer.byteLength(JSON.stringify(await text.request('tools/list', {})));
  await server.close();
  await text.close();

  print(rows);
  console.log(`\nThe same plan with children in one call, transitions with log and context, and what complete names as next:\n`);
  print(short);
  console.log(`\nWith have, which names the parts that the context before had: ${sum(had, 'received')} tokens received and ` +
    `${sum(had, 'sent')} sent in the\nfirst run, ${sum(shortHad, 'received')} and ${sum(shortHad, 'sent')} in the second one.`);
  const off = Math.max(1 - least, greatest - 1);
  console.log(`\nThe targets are ${most.tokens} tokens received in the first run, and ${most.calls} calls in the second one.` +
    ` Names, descriptions and parameters of\nall tools: ${offered} tokens; instructions: ${hello}.` +
    ` tools/list: ${small} bytes with --replies text, ${whole} without.` +
    `\nBytes per token of the replies: ${(sum(rows, 'bytes') / sum(rows, 'received')).toFixed(2)}.` +
    ` Contexts state ${Math.round(100 * least)} to ${Math.round(100 * greatest)} % of the tokens that they take.`);
  if (sum(rows, 'received') > most.tokens || sum(short, 'calls') > most.calls || off > 0.15) process.exitCode = 1;
} finally {
  folders.forEach((f) => rmSync(f, { recursive: true, force: true }));
}
