import { expect, test } from 'vitest';
import { answered, calls, createScriptedAgent, run, scripted } from '../../support/agents/agent-runs.ts';
import { createTool } from '../../support/files/tools.ts';
import {
  createRecords,
  expectStatus,
  finishedBatch,
  publishedFlow,
  template,
} from '../../support/flows/flows.ts';
import { eventually } from '../../support/stack/eventually.ts';
import { newKey } from '../../support/stack/keys.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';

interface Row {
  id: string;
  kind: string;
  status: string;
  [member: string]: unknown;
}

async function runsOf(tenant: Pick<Tenant, 'call'>, query = ''): Promise<Row[]> {
  const wanted = new URLSearchParams(query);
  const limit = Number(wanted.get('limit') ?? 20);
  const rows: Row[] = [];
  // A page may end before its limit, with a cursor.
  do {
    const { data, pagination } = await expectStatus(200, tenant.call('GET', `/v1/runs?${wanted}`));
    rows.push(...data);
    wanted.set('cursor', pagination.nextCursor ?? '');
  } while (wanted.get('cursor') && rows.length < limit);
  return rows.slice(0, limit);
}

const wait = { type: 'wait-until', name: 'wait', config: { delayMs: 3_600_000 } };

async function dispatched(tenant: Pick<Tenant, 'call'>, flowId: string, options: object = {}) {
  const body = { flow: { id: flowId }, inputs: { a: 1 }, options: { streamResponse: false, ...options } };
  return expectStatus(200, tenant.call('POST', '/v1/dispatch', { body }));
}

async function batchOf(tenant: Tenant, flowId: string, count: number, options: object = {}): Promise<string> {
  const recordIds = (await createRecords(tenant, 'thing', count)).map(({ id }) => id);
  const body = { flowId, recordIds, options };
  return (await expectStatus(200, tenant.call('POST', '/v1/batch/flow', { body }))).batchExecutionId;
}

test('one list has the runs of every kind, newest first, with what started them and what they took', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, [template('x')]);
  const key = await newKey(tenant, { permissions: ['*'] });
  const batchId = await batchOf(tenant, flow.id, 2, { tags: ['nightly'], sessionId: 'job 1' });
  await finishedBatch(tenant, batchId);
  const { executionId } = await dispatched(key, flow.id, { tags: ['nightly', 'nightly'] });
  const agent = await createScriptedAgent(tenant, {});
  const answer = await answered(run(tenant, agent.id, scripted({ text: 'Hello' }), {}));
  const body = { parameters: { operation: 'now' } };
  const tool = await expectStatus(200, tenant.call('POST', '/v1/tools/builtin:date-time/execute', { body }));

  const rows = await runsOf(tenant);
  expect(rows.map(({ id }) => id)).toEqual([tool.executionId, answer.executionId, executionId, batchId]);
  const [ofTool, ofAgent, ofFlow, ofBatch] = rows;
  const nothing = { parentRunId: null, forkedFrom: null, error: null, status: 'completed' };
  expect(ofTool).toMatchObject({
    ...nothing,
    kind: 'tool',
    toolId: 'builtin:date-time',
    tokens: null,
    flowId: null,
  });
  expect(ofAgent).toMatchObject({ ...nothing, kind: 'agent', agentId: agent.id, stopReason: 'end_turn' });
  expect(ofAgent).toMatchObject({ tokens: answer.totalTokens, rootRunId: answer.executionId });
  expect(ofFlow).toMatchObject({
    ...nothing,
    kind: 'flow',
    flowId: flow.id,
    name: 'A flow',
    tags: ['nightly'],
  });
  expect(ofFlow).toMatchObject({
    totalCost: '0',
    tokens: { input: 0, output: 0, cachedInput: 0, reasoning: 0 },
  });
  expect(ofFlow).toMatchObject({ trigger: { type: 'api', apiKeyId: key.id, surfaceId: null }, counts: null });
  const counts = { total: 2, completed: 2, failed: 0, cancelled: 0 };
  expect(ofBatch).toMatchObject({ ...nothing, kind: 'batch', counts, tags: ['nightly'], sessionId: 'job 1' });
  expect(ofBatch).toMatchObject({
    trigger: { type: 'console', apiKeyId: null },
    flowVersionId: expect.any(String),
  });
  for (const { startedAt, completedAt, durationMs } of rows) {
    expect(Date.parse(String(completedAt)) - Date.parse(String(startedAt))).toBe(durationMs);
  }
});

test('every filter leaves what it says, alone and together', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, [template('x')]);
  const failing = await publishedFlow(tenant, [
    { type: 'transform-data', name: 'f', config: { script: 'throw new Error("No Such Thing")' } },
  ]);
  const waiting = await publishedFlow(tenant, [wait]);
  const good = await dispatched(tenant, flow.id, { tags: ['a', 'b'], sessionId: 's' });
  const bad = await dispatched(tenant, failing.id);
  const open = await batchOf(tenant, waiting.id, 1);
  await eventually(async () => expect(await runsOf(tenant, 'status=running,scheduled')).toHaveLength(1));
  const ids = async (query: string) => (await runsOf(tenant, query)).map(({ id }) => id);
  const before = new Date(Date.now() - 60_000).toISOString();
  const found = {
    'kind=flow': [bad.executionId, good.executionId],
    'kind=batch,agent': [open],
    'status=failed': [bad.executionId],
    'status=completed,failed': [bad.executionId, good.executionId],
    [`flowId=${flow.id}`]: [good.executionId],
    'trigger=console': [open, bad.executionId, good.executionId],
    'trigger=schedule,mcp': [],
    'tag=a': [good.executionId],
    'sessionId=s': [good.executionId],
    'error=such%20thing': [bad.executionId],
    'q=SUCH%20no': [bad.executionId],
    'q=such%20absent': [],
    [`q=A&flowId=${flow.id}`]: [good.executionId],
    'minCost=0.01': [],
    'minDurationMs=3600000': [],
    [`from=${before}`]: [open, bad.executionId, good.executionId],
    [`to=${before}`]: [],
    'kind=flow&status=completed&tag=b': [good.executionId],
    'kind=flow&status=failed&tag=b': [],
  };
  for (const [query, expected] of Object.entries(found))
    expect([query, await ids(query)]).toEqual([query, expected]);
  expect(bad).toMatchObject({ success: false });
  const [row] = await runsOf(tenant, 'status=failed');
  expect(row?.error).toEqual({ code: 'RUN_FAILED', message: expect.stringContaining('No Such Thing') });
});

test('pages follow each other without gaps and repetitions', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, [template('x')]);
  for (let n = 0; n < 7; n++) await dispatched(tenant, flow.id, { tags: [n % 2 ? 'odd' : 'even'] });
  const whole = (await runsOf(tenant, 'limit=100')).map(({ id }) => id);
  expect(whole).toHaveLength(7);
  for (const filter of ['', '&tag=odd']) {
    const seen: string[] = [];
    let cursor = '';
    do {
      const path = `/v1/runs?limit=2${filter}${cursor && `&cursor=${cursor}`}`;
      const { data, pagination } = await expectStatus(200, tenant.call('GET', path));
      expect(pagination).toMatchObject({ limit: 2, hasMore: pagination.nextCursor !== null });
      seen.push(...data.map(({ id }: Row) => id));
      cursor = pagination.nextCursor ?? '';
    } while (cursor);
    expect(seen).toEqual(filter ? whole.filter((_, index) => (6 - index) % 2) : whole);
  }
});

test('a run is listed as soon as its start has answered, and a batch shows its records', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, [wait]);
  const id = await batchOf(tenant, flow.id, 2);
  expect(await runsOf(tenant)).toMatchObject([{ id, counts: { total: 2, completed: 0 }, completedAt: null }]);
  await expectStatus(200, tenant.call('POST', `/v1/batch/cancel/${id}`));
  expect(await runsOf(tenant)).toMatchObject([
    { id, status: 'cancelled', counts: { total: 2, cancelled: 2 } },
  ]);
});

test('a dispatch that waits is listed once, as a flow, until it ends', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, [wait, template('x')]);
  const body = { flow: { id: flow.id }, options: { streamResponse: false, tags: ['t'] } };
  const { executionId, batchExecutionId } = await expectStatus(
    200,
    tenant.call('POST', '/v1/dispatch', { body }),
  );
  expect(batchExecutionId).toMatch(/^batch_/);
  expect(await runsOf(tenant)).toMatchObject([
    { id: executionId, kind: 'flow', status: 'paused', tags: ['t'] },
  ]);
});

test('sub-agents are listed with their parents only, and inherit tags and the session', async () => {
  const tenant = await newTenant();
  const inner = await createScriptedAgent(tenant);
  const flow = await publishedFlow(tenant, [template('from the flow')]);
  const parametersSchema = { type: 'object', properties: { message: { type: 'string' } } };
  const { id: colleague } = await createTool(tenant, {
    name: 'colleague',
    description: 'Asks',
    toolType: 'subagent',
    config: { agentId: inner.id },
    parametersSchema,
  });
  const { id: flowTool } = await createTool(tenant, {
    name: 'flow_tool',
    description: 'Runs',
    toolType: 'flow',
    config: { flowId: flow.id },
    parametersSchema,
  });
  const agent = await createScriptedAgent(tenant, { tools: { toolIds: [colleague, flowTool] } });
  const script = scripted(
    calls(['colleague', { message: scripted({ text: 'hi' }) }]),
    calls(['flow_tool', { message: 'x' }]),
    { text: 'done' },
  );
  const options = { tags: ['t'], sessionId: 's' };
  const { executionId, success } = await answered(run(tenant, agent.id, script, { options }));
  expect(success).toBe(true);
  expect(await runsOf(tenant)).toMatchObject([{ id: executionId, kind: 'agent' }]);
  const inherited = { parentRunId: executionId, rootRunId: executionId, tags: ['t'], sessionId: 's' };
  const inside = await runsOf(tenant, `parentRunId=${executionId}`);
  expect(inside).toMatchObject([
    { kind: 'flow', flowId: flow.id, status: 'completed', trigger: { type: 'run' }, ...inherited },
    { kind: 'agent', agentId: inner.id, status: 'completed', trigger: { type: 'run' }, ...inherited },
  ]);
  const all = (await runsOf(tenant, 'root=false&limit=2')).map(({ id }) => id);
  expect(all).toEqual(inside.map(({ id }) => id));
  const whole = await expectStatus(200, tenant.call('GET', `/v1/runs/${inside[1]?.id}`));
  expect(whole).toMatchObject({ id: inside[1]?.id, output: 'hi' });
});

test('a run below a flow or a sub-agent names the run that called it, however long the chain is', async () => {
  const tenant = await newTenant();
  const parametersSchema = { type: 'object', properties: { message: { type: 'string' } } };
  const tool = async (name: string, toolType: 'flow' | 'subagent', config: object) =>
    (await createTool(tenant, { name, description: 'Runs', toolType, config, parametersSchema }))
      .id as string;
  const leaf = await publishedFlow(tenant, [template('leaf')]);
  const leafTool = await tool('leaf', 'flow', { flowId: leaf.id });
  // agent > middle flow > inner agent > leaf flow, and agent > inner agent > leaf flow.
  const inner = await createScriptedAgent(tenant, { tools: { toolIds: [leafTool] } });
  const callLeaf = scripted(calls(['leaf', { message: 'x' }]), { text: 'done' });
  const middle = await publishedFlow(tenant, [
    { type: 'execute-agent', name: 'ask', config: { agentId: inner.id, message: callLeaf } },
  ]);
  const middleTool = await tool('middle', 'flow', { flowId: middle.id });
  const colleague = await tool('colleague', 'subagent', { agentId: inner.id });
  const agent = await createScriptedAgent(tenant, { tools: { toolIds: [middleTool, colleague] } });
  const script = scripted(calls(['middle', { message: 'x' }]), calls(['colleague', { message: callLeaf }]), {
    text: 'done',
  });
  const { executionId, success } = await answered(run(tenant, agent.id, script, {}));
  expect(success).toBe(true);
  const rows = await runsOf(tenant, 'root=false');
  const byId = new Map(rows.map((row) => [row.id, row]));
  const chainOf = (row: Row | undefined): string[] => {
    if (!row) return [];
    return [...chainOf(byId.get(String(row.parentRunId))), String(row.flowId ?? row.agentId)];
  };
  const chains = rows.map(chainOf).toSorted((one, other) => one.length - other.length);
  expect(chains).toHaveLength(6);
  expect(chains).toEqual(
    expect.arrayContaining([
      [agent.id],
      [agent.id, middle.id],
      [agent.id, inner.id],
      [agent.id, middle.id, inner.id],
      [agent.id, inner.id, leaf.id],
      [agent.id, middle.id, inner.id, leaf.id],
    ]),
  );
  expect(new Set(rows.map(({ rootRunId }) => rootRunId ?? executionId))).toEqual(new Set([executionId]));
});

test('a caller sees the kinds that it may read; of others not even that they exist', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, [template('x')]);
  const { executionId } = await dispatched(tenant, flow.id);
  const tools = await newKey(tenant, { permissions: ['TOOLS:READ'] });
  const flows = await newKey(tenant, { permissions: ['FLOWS:READ'] });
  const none = await newKey(tenant, { permissions: ['RECORDS:*'] });
  expect(await runsOf(flows)).toMatchObject([{ id: executionId }]);
  expect(await runsOf(tools)).toEqual([]);
  expect(await runsOf(tools, 'kind=flow')).toEqual([]);
  const missing = await tenant.call('GET', `/v1/runs/exec_${'0'.repeat(26)}`);
  for (const caller of [tools, await newTenant()]) {
    const { status, body } = await caller.call('GET', `/v1/runs/${executionId}`);
    expect({ status, body }).toEqual({ status: 404, body: missing.body });
  }
  expect((await none.call('GET', '/v1/runs')).status).toBe(403);
});

test.each([
  ['kind=dog', 'kind'],
  ['status=over', 'status'],
  ['limit=0', 'limit'],
  ['limit=101', 'limit'],
  ['cursor=xyz', 'cursor'],
  ['from=yesterday', 'from'],
  ['minCost=-1', 'minCost'],
  ['flowId=x', 'flowId'],
  ['toolId=', 'toolId'],
  ['root=maybe', 'root'],
])('%s: 400 that names it', async (query, path) => {
  const { call } = await newTenant();
  const { status, body } = await call('GET', `/v1/runs?${query}`);
  expect(status).toBe(400);
  expect(JSON.stringify(body.details)).toContain(path);
});

test('a run goes with its flow', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, [template('x')]);
  const { executionId } = await dispatched(tenant, flow.id);
  await expectStatus(204, tenant.call('DELETE', `/v1/flows/${flow.id}`));
  expect(await runsOf(tenant)).toEqual([]);
  expect((await tenant.call('GET', `/v1/runs/${executionId}`)).status).toBe(404);
});

test('a run of a tool goes with it, and so does the feedback on it', async () => {
  const tenant = await newTenant();
  const tool = await createTool(tenant);
  const execute = tenant.call('POST', `/v1/tools/${tool.id}/execute`, { body: { parameters: { n: 1 } } });
  const { executionId } = await expectStatus(200, execute);
  const feedback = (await tenant.call('POST', `/v1/runs/${executionId}/feedback`, { body: { rating: 1 } }))
    .status;
  expect(feedback).toBe(201);
  await expectStatus(200, tenant.call('DELETE', `/v1/tools/${tool.id}`));
  expect(await runsOf(tenant)).toEqual([]);
  expect((await tenant.call('GET', `/v1/runs/${executionId}`)).status).toBe(404);
  await eventually(async () =>
    expect((await expectStatus(200, tenant.call('GET', '/v1/feedback'))).data).toEqual([]),
  );
});

test.each(['x\ud800', 'a\u0000b', 'a\nb', ''])(
  'the session %j is a 400 at every start',
  async (sessionId) => {
    const tenant = await newTenant();
    const flow = await publishedFlow(tenant, [template('x')]);
    const agent = await createScriptedAgent(tenant);
    const [record] = await createRecords(tenant, 'thing', 1);
    const options = { sessionId };
    const starts: [string, object][] = [
      ['/v1/dispatch', { flow: { id: flow.id }, options }],
      [`/v1/agents/${agent.id}/execute`, { messages: [{ role: 'user', content: 'x' }], options }],
      ['/v1/batch/flow', { flowId: flow.id, recordIds: [record?.id], options }],
      [`/v1/flows/${flow.id}/run-on-record-type`, { recordType: 'thing', options }],
    ];
    for (const [path, body] of starts) {
      const answer = await tenant.call('POST', path, { body });
      expect(answer, path).toMatchObject({ status: 400, body: { details: [{ path: 'options.sessionId' }] } });
    }
    expect(await runsOf(tenant)).toEqual([]);
  },
);

test.each(['/v1/runs', '/v1/feedback', '/v1/run-metrics', '/v1/audit-log', '/v1/agents/ID/executions'])(
  '%s: a range must have a zone, and end after it begins',
  async (path) => {
    const tenant = await newTenant();
    const { id } = path.includes('ID') ? await createScriptedAgent(tenant) : { id: '' };
    const detailsOf = async (query: string) =>
      (await expectStatus(400, tenant.call('GET', `${path.replace('ID', id)}?${query}`))).details;
    const message = 'Expected a time with its zone such as 2026-11-26T08:00:00Z';
    expect(await detailsOf('from=2026-01-01')).toEqual([{ path: 'from', code: 'INVALID_FORMAT', message }]);
    expect(await detailsOf('from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z')).toMatchObject([
      { path: 'to', code: 'INVALID_VALUE' },
    ]);
  },
);
