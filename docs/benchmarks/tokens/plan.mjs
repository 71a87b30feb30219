// The plan that is played: a root, 4 planning nodes, and 25 execution nodes below them, in 165 calls of one thing each,
// and in the fewer calls that do several. Its texts are fixed, and as long as those that assistants write.

const areas = ['Sign-in', 'Search', 'Export', 'Billing'];
const parts = ['endpoint', 'form', 'limits', 'audit log', 'tests', 'migration', 'documentation'];

const requirement = (title) => `Build the ${title.toLowerCase()} so that a user of the web page and a user of the API ` +
  'get the same answer. Reject bad input with a message that names the field. Keep the response below 200 ms for 95 % ' +
  'of requests, and cover the error paths with tests.';
const event = (title, i) => `Decided to keep the state of the ${title.toLowerCase()} in the table sessions_${i}; a cache ` +
  'would have to be cleared in three places, and the query takes 4 ms.';
const conclusion = (title, i) => `The ${title.toLowerCase()} works for both callers and is covered by ${12 + i} tests. Bad ` +
  'input is answered with 422 and the name of the field. Left out: retries, which the queue does already.';

/** begin makes the workspace and binds the session, and returns the rules' hash. */
async function begin(call) {
  const { workspaceId } = await call('workspace_init', {
    name: 'Customer portal', goal: 'Customers sign in, find their documents, export them and see their bills.',
    rules: ['Write the test first', 'No new dependencies', 'Answer in the language of the user'],
    docs: [{ path: 'docs/api.md', description: 'the endpoints' }],
  });
  return (await call('session_bind', { sessionId: 'session-1', workspaceId })).rulesHash;
}

const partsOf = (area) => parts.slice(0, area === 'Billing' ? 4 : 7).map((part) => `${area} ${part}`);
const problemOf = (nodeId, title) => ({ nodeId, problem: `The test server refuses the ${title.toLowerCase()} with 503.`, nextStep: 'Ask for a restart and repeat the tests' });

/** play makes the 165 calls; call(tool, args) returns the data of the reply. */
export async function play(call) {
  const rulesHash = await begin(call);
  const create = async (parentId, type, title) => (await call('node_create',
    { parentId, type, title, requirement: requirement(title), rulesHash })).nodeId;
  const plannings = [];
  let work = 0;
  for (const area of areas) {
    const node = { id: await create('root', 'planning', area), title: area, children: [] };
    plannings.push(node);
    for (const title of partsOf(area)) {
      node.children.push({ id: await create(node.id, 'execution', title), title, number: work++ });
    }
  }
  await call('node_list', {});
  for (const p of plannings) {
    for (const { id, title, number: i } of p.children) {
      await call('node_transition', { nodeId: id, action: 'start' });
      await call('context_get', { nodeId: id });
      await call('log_append', { nodeId: id, operator: 'AI', event: event(title, i) });
      if (i % 4 === 1) {
        await call('problem_update', problemOf(id, title));
        await call('problem_clear', { nodeId: id });
      }
      if (i % 3 === 1) await call('node_transition', { nodeId: id, action: 'submit' });
      await call('node_transition', { nodeId: id, action: 'complete', conclusion: conclusion(title, i) });
    }
    await call('context_get', { nodeId: p.id });
    await call('node_transition', { nodeId: p.id, action: 'complete', conclusion: conclusion(p.title, 100) });
    if (p.title === 'Search') await call('node_list', {});
  }
  await call('context_get', { nodeId: 'root' });
  await call('node_transition', { nodeId: 'root', action: 'complete', conclusion: conclusion('Customer portal', 300) });
  await call('node_list', {});
  await call('workspace_status', {});
}

/** playShort makes the same plan with children in one call, transitions that bring the context and take the log, and what
 * complete names as next. */
export async function playShort(call) {
  const rulesHash = await begin(call);
  const nodes = new Map(); // id -> { title, number }, in the order of the plan
  let work = 0;
  for (const area of areas) {
    const titles = partsOf(area);
    const made = await call('node_create', { parentId: 'root', type: 'planning', title: area, requirement: requirement(area),
      rulesHash, children: titles.map((title) => ({ title, requirement: requirement(title) })) });
    made.children.forEach(({ nodeId }, i) => nodes.set(nodeId, { title: titles[i], number: work++ }));
    nodes.set(made.nodeId, { title: area });
  }
  nodes.set('root', { title: 'Customer portal' });
  await call('node_list', {});
  let nodeId = nodes.keys().next().value;
  while (nodeId) {
    const { title, number: i } = nodes.get(nodeId);
    let end = { nodeId, action: 'complete', conclusion: conclusion(title, 100) };
    if (i === undefined) {
      await call('context_get', { nodeId });
    } else {
      await call('node_transition', { nodeId, action: 'start', context: true });
      if (i % 4 === 1) {
        await call('problem_update', problemOf(nodeId, title));
        await call('problem_clear', { nodeId });
      }
      if (i % 3 === 1) await call('node_transition', { nodeId, action: 'submit' });
      end = { ...end, conclusion: conclusion(title, i), log: event(title, i) };
    }
    nodes.delete(nodeId);
    nodeId = (await call('node_transition', end)).next?.id;
  }
  if (nodes.size) throw new Error(`${nodes.size} nodes were never next`);
  await call('node_list', {});
  await call('workspace_status', {});
}
