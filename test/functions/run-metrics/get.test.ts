import { expect, test } from 'vitest';
import { newId } from '../../../shared/core/ids.ts';
import { createScriptedAgent, run, scripted } from '../../support/agents/agent-runs.ts';
import { createTool } from '../../support/files/tools.ts';
import { createRecords, expectStatus, publishedFlow, runFlowOnRecords } from '../../support/flows/flows.ts';
import { runRow, storeRuns } from '../../support/flows/run-rows.ts';
import { countingRuntime, newTenant, type Tenant } from '../../support/stack/stack.ts';
import { createProduct, createSurface } from '../../support/surfaces/products.ts';

const metrics = async ({ call }: Pick<Tenant, 'call'>, query = '') =>
  expectStatus(200, call('GET', `/v1/run-metrics${query}`));

const prompt = {
  type: 'prompt',
  name: 'ask',
  config: { model: 'generic-openai/gpt-4o-mini', userPrompt: 'Hello' },
};
const dispatch = ({ call }: Tenant, id: string) =>
  call('POST', '/v1/dispatch', { body: { flow: { id }, options: { streamResponse: false } } });

test('runs of every kind count in the hour in which they end, with what they cost', async () => {
  const tenant = await newTenant();
  await createRecords(tenant, 'thing', 3);
  const flow = await publishedFlow(tenant, [prompt]);
  const { totalCost, totalTokens } = await expectStatus(200, dispatch(tenant, flow.id));
  await expectStatus(200, runFlowOnRecords(tenant, flow.id, 'thing'));
  const agent = await createScriptedAgent(tenant);
  await expectStatus(200, run(tenant, agent.id, scripted({ text: 'done' })));
  const tool = await createTool(tenant);
  await expectStatus(200, tenant.call('POST', `/v1/tools/${tool.id}/execute`, { body: { parameters: {} } }));

  const { interval, groups } = await metrics(tenant, '?groupBy=kind');
  expect(interval).toBe('hour');
  const kind = (key: string) => groups.find((group: { key: string }) => group.key === key);
  expect(kind('flow').total).toMatchObject({
    runs: 1,
    completed: 1,
    cost: totalCost,
    savedCost: '0',
    tokens: { input: totalTokens.input, output: totalTokens.output, cachedInput: 0 },
  });
  expect(kind('batch').total).toMatchObject({ runs: 1, completed: 1 });
  expect(kind('record').total).toMatchObject({ runs: 3, completed: 3, failed: 0, cost: '0' });
  expect(kind('agent').total.runs).toBe(1);
  expect(kind('tool').total.runs).toBe(1);
  for (const { points } of groups) {
    expect(points).toHaveLength(24);
    expect(Date.parse(points.at(-1).at)).toBeGreaterThan(Date.now() - 3_600_000);
  }
  const [all] = (await metrics(tenant, '?interval=day')).groups;
  expect(all).toMatchObject({ key: null, name: null, total: { runs: 4 } });
  expect(all.points).toHaveLength(30);
  const named = async (groupBy: string) =>
    (await metrics(tenant, `?groupBy=${groupBy}&interval=day`)).groups.map(
      ({ key, name, total }: { key: string; name: string; total: { runs: number } }) => [
        key,
        name,
        total.runs,
      ],
    );
  expect(await named('flow')).toContainEqual([flow.id, flow.name, 2]);
  expect(await named('agent')).toContainEqual([agent.id, agent.name, 1]);
  expect(await named('tool')).toContainEqual([tool.id, tool.name, 1]);
  expect(await named('status')).toEqual([['completed', 'completed', 4]]);
  expect(await named('model')).toContainEqual([
    'generic-openai/gpt-4o-mini',
    'generic-openai/gpt-4o-mini',
    expect.any(Number),
  ]);
  const [ofFlow] = (await metrics(tenant, `?flowId=${flow.id}&kind=flow,batch`)).groups;
  expect(ofFlow.total.runs).toBe(2);
});

test('kinds that the caller may not read are left out; none of them is a 403', async () => {
  const owner = await newTenant();
  const scope = countingRuntime().scopeOf(owner.tenant);
  const at = Date.now() - 1_000;
  const ended = { startedAt: at, completedAt: at + 1, totalCost: '1' };
  await storeRuns(scope, [
    runRow({ ...ended, flowId: newId('flow') }),
    runRow({ ...ended, kind: 'agent', agentId: newId('agent') }),
    runRow({ ...ended, kind: 'tool', toolId: 'builtin:date-time' }),
  ]);
  const as = async (permissions: string[]) => newTenant({ userId: owner.userId, permissions });
  const total = async (permissions: string[]) =>
    (await metrics(await as(permissions), '?interval=day')).groups[0].total;
  expect(await total(['FLOWS:READ'])).toMatchObject({ runs: 1, cost: '1' });
  expect(await total(['AGENTS:READ', 'TOOLS:*'])).toMatchObject({ runs: 2, cost: '2' });
  expect(await total(['*'])).toMatchObject({ runs: 3, cost: '3' });
  const refused = await as(['RECORDS:*', 'ANALYTICS:READ']);
  await expectStatus(403, refused.call('GET', '/v1/run-metrics'));
  const { groups } = await metrics(owner, '?groupBy=tool&kind=tool');
  expect(groups).toMatchObject([{ key: 'builtin:date-time', name: 'Date and time', total: { runs: 1 } }]);
});

test('a deleted flow has the name of its last run, a run with an unknown price no cost', async () => {
  const tenant = await newTenant();
  const scope = countingRuntime().scopeOf(tenant.tenant);
  const at = Date.now() - 1_000;
  const flowId = newId('flow');
  await storeRuns(scope, [
    runRow({ startedAt: at, completedAt: at, flowId, name: 'Gone', totalCost: null }),
    runRow({ startedAt: at, completedAt: at, kind: 'agent', totalCost: '0.5' }),
  ]);
  const { groups } = await metrics(tenant, '?groupBy=flow&interval=day');
  expect(groups).toContainEqual(expect.objectContaining({ key: flowId, name: 'Gone' }));
  const costs = groups.map(({ key, total }: { key: string; total: { cost: string } }) => [key, total.cost]);
  expect(costs).toEqual(
    expect.arrayContaining([
      [flowId, null],
      [null, '0.5'],
    ]),
  );
  expect((await metrics(tenant)).groups[0].total.cost).toBe('0.5');
});

test('nobody sees the numbers of another tenant', async () => {
  const [tenant, other] = [await newTenant(), await newTenant()];
  const at = Date.now() - 1_000;
  await storeRuns(countingRuntime().scopeOf(tenant.tenant), [runRow({ startedAt: at, completedAt: at })]);
  expect((await metrics(tenant)).groups[0].total.runs).toBe(1);
  expect((await metrics(other)).groups[0].total).toMatchObject({
    runs: 0,
    cost: '0',
    durationMs: { p50: null },
  });
  expect((await metrics(other, '?groupBy=flow')).groups).toEqual([]);
});

test('intervals are whole, and a report has at most 31 days of hours or 25 months of days', async () => {
  const tenant = await newTenant();
  const points = async (query: string) =>
    (await metrics(tenant, query)).groups[0].points.map(({ at }: { at: string }) => at);
  expect(await points('?from=2026-11-01T10:20:00Z&to=2026-11-01T13:00:00%2B01:00')).toEqual([
    '2026-11-01T10:00:00.000Z',
    '2026-11-01T11:00:00.000Z',
  ]);
  expect(await points('?interval=day&from=2026-02-28T23:00:00Z&to=2026-03-01T00:00:01Z')).toEqual([
    '2026-02-28T00:00:00.000Z',
    '2026-03-01T00:00:00.000Z',
  ]);
  expect(await points('?from=2026-10-01T00:00:00Z&to=2026-11-01T00:00:00Z')).toHaveLength(744);
  expect(await points('?interval=day&from=2024-11-01T00:00:00Z&to=2026-12-01T00:00:00Z')).toHaveLength(760);
  const wrong = {
    '?from=2026-10-01T00:00:00Z&to=2026-11-01T00:00:01Z': 'from',
    '?interval=day&from=2024-01-01T00:00:00Z&to=2026-12-01T00:00:00Z': 'from',
    '?from=2026-11-02T00:00:00Z&to=2026-11-01T00:00:00Z': 'to',
    '?from=2190-01-01T00:00:00Z': 'from',
    '?kind=flow,record&groupBy=status': 'groupBy',
    '?kind=record&groupBy=model': 'groupBy',
    '?kind=record&groupBy=agent': 'groupBy',
    '?from=2026-11-02': 'from',
    '?to=1000-01-01T00:00:00Z': 'to',
    '?interval=week': 'interval',
    '?groupBy=user': 'groupBy',
    '?kind=flow,cron': 'kind',
    '?flowId=x': 'flowId',
  };
  for (const [query, place] of Object.entries(wrong)) {
    const { details } = await expectStatus(400, tenant.call('GET', `/v1/run-metrics${query}`));
    expect(details[0].path, query).toMatch(new RegExp(`^${place}`));
  }
});

test('calls that a model refused are failed calls, and neither cost nor count in the usage', async () => {
  const tenant = await newTenant();
  const config = (userPrompt: string) => ({ model: 'generic-openai/scripted', userPrompt });
  const refused = scripted({ status: 400, message: 'no' });
  const flow = await publishedFlow(tenant, [
    { type: 'prompt', name: 'ask', config: config(scripted({ text: 'hello' })) },
    { type: 'prompt', name: 'fail', config: config(refused) },
  ]);
  await expectStatus(200, dispatch(tenant, flow.id));
  const agent = await createScriptedAgent(tenant);
  await run(tenant, agent.id, refused);
  const { groups } = await metrics(tenant, '?groupBy=model');
  expect(groups).toMatchObject([
    { key: 'generic-openai/scripted', total: { runs: 3, completed: 1, failed: 2 } },
  ]);
  const { summary } = await expectStatus(200, tenant.call('GET', '/v1/model-usage'));
  expect(summary.totalRequests).toBe(1);
});

test('records count with the groupings that a refusal names', async () => {
  const tenant = await newTenant();
  const at = Date.now() - 1_000;
  const trigger = { type: 'surface', productId: newId('product'), surfaceId: newId('surface') } as const;
  const records = { [new Date(at).toISOString().slice(0, 13)]: { completed: 2, failed: 0, durations: {} } };
  const batch = {
    kind: 'batch',
    flowId: newId('flow'),
    startedAt: at,
    completedAt: at,
    records,
    trigger,
  } as const;
  await storeRuns(countingRuntime().scopeOf(tenant.tenant), [runRow(batch)]);
  const { details } = await expectStatus(
    400,
    tenant.call('GET', '/v1/run-metrics?kind=record&groupBy=status'),
  );
  expect(details[0].message).toContain('kind, flow, surface or apiKey');
  for (const groupBy of ['kind', 'flow', 'surface', 'apiKey']) {
    const { groups } = await metrics(tenant, `?kind=record&groupBy=${groupBy}`);
    expect(groups).toMatchObject([{ total: { runs: 2 } }]);
  }
});

test('names of surfaces need PRODUCTS:READ', async () => {
  const owner = await newTenant();
  const product = await createProduct(owner);
  const surface = await createSurface(owner, product.id, { name: 'Desk', type: 'api' });
  const at = Date.now() - 1_000;
  const trigger = { type: 'surface', productId: product.id, surfaceId: surface.id } as const;
  await storeRuns(countingRuntime().scopeOf(owner.tenant), [
    runRow({ startedAt: at, completedAt: at, trigger }),
  ]);
  const groupsFor = async (permissions: string[]) =>
    (await metrics(await newTenant({ userId: owner.userId, permissions }), '?groupBy=surface')).groups;
  expect(await groupsFor(['FLOWS:READ'])).toMatchObject([{ key: surface.id, name: null }]);
  expect(await groupsFor(['FLOWS:READ', 'PRODUCTS:READ'])).toMatchObject([{ key: surface.id, name: 'Desk' }]);
});
