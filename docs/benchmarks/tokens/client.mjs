// A client of `arbor mcp` that sees what a model sees: the text of each reply.

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** connect starts a server in a folder, and returns its functions request, call and close. */
export async function connect(program, folder, args = []) {
  const server = spawn(program, ['mcp', ...args], { cwd: folder, stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = new Map();
  createInterface({ input: server.stdout }).on('line', (line) => {
    const message = JSON.parse(line);
    waiting.get(message.id)?.(message);
    waiting.delete(message.id);
  });
  server.on('exit', () => waiting.forEach((answer) => answer({ error: { message: 'the server has ended' } })));
  let last = 0;
  const send = (message) => server.stdin.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\n');
  const request = (method, params) => new Promise((resolve, reject) => {
    const id = ++last;
    waiting.set(id, (m) => (m.error ? reject(new Error(`${method}: ${m.error.message}`)) : resolve(m.result)));
    send({ id, method, params });
  });
  const hello = await request('initialize',
    { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'tokens', version: '1' } });
  send({ method: 'notifications/initialized' });
  const call = async (name, args) => {
    const result = await request('tools/call', { name, arguments: args });
    if (result.isError) throw new Error(`${name} ${JSON.stringify(args)}: ${result.content[0].text}`);
    return result.content[0].text;
  };
  return { hello, request, call, close: () => new Promise((ended) => server.on('exit', ended).stdin.end()) };
}
