import { expect, test } from 'vitest';
import { newId } from '../../../shared/core/ids.ts';
import { feedbackRemover } from '../../../shared/domain/feedback/run-feedback-store.ts';
import { type RunKind, runEntity } from '../../../shared/domain/runs/run.ts';
import { expectStatus, publishedFlow, template } from '../../support/flows/flows.ts';
import { runRow } from '../../support/flows/run-rows.ts';
import { eventually } from '../../support/stack/eventually.ts';
import { tenantWithKey } from '../../support/stack/keys.ts';
import { countingRuntime, countingTable, newTenant, type Tenant } from '../../support/stack/stack.ts';
import { agentChat, answerTo, fromPage, onlyConversation } from '../../support/surfaces/chat.ts';

const flowId = newId('flow');
const agentId = newId('agent');

async function storedRun({ tenant }: Pick<Tenant, 'tenant'>, kind: RunKind = 'flow', more: object = {}) {
  const of = kind === 'agent' ? { agentId } : kind === 'tool' ? { toolId: newId('tool') } : { flowId };
  const run = runRow({ kind, startedAt: Date.now() - 50, completedAt: Date.now(), ...of, ...more });
  const table = countingTable(tenant);
  await table.commit([table.writes.put(runEntity, run)]);
  return { id: run.id, path: `/v1/runs/${run.id}/feedback` };
}

const listed = async ({ call }: Pick<Tenant, 'call'>, query = '') =>
  expectStatus(200, call('GET', `/v1/feedback${query}`));

test('feedback is listed with its run and for the tenant, newest first, until it is deleted', async () => {
  const tenant = await newTenant();
  const run = await storedRun(tenant, 'agent');
  const { id } = await expectStatus(201, tenant.call('POST', run.path, { body: { rating: -1 } }));
  const body = { score: 0.25, turn: 2, label: 'tone', comment: 'Rude 💥', expected: { reply: [null, 'Hi'] } };
  await expectStatus(201, tenant.call('POST', run.path, { body }));
  await expectStatus(201, tenant.call('POST', run.path, { body: { expected: null } }));
  const { data, pagination } = await expectStatus(200, tenant.call('GET', run.path));
  expect(pagination).toEqual({ nextCursor: null, hasMore: false, limit: 20 });
  const common = {
    runId: run.id,
    kind: 'agent',
    agentId,
    flowId: null,
    source: 'user',
    userId: tenant.userId,
  };
  expect(data).toEqual([
    expect.objectContaining({ ...common, rating: null, score: null, expected: null }),
    expect.objectContaining({ ...common, ...body, rating: null }),
    expect.objectContaining({ ...common, id, rating: -1, score: null, apiKeyId: null, stepId: null }),
  ]);
  expect(data[2]).not.toHaveProperty('expected');
  expect((await listed(tenant)).data).toEqual(data);
  await expectStatus(204, tenant.call('DELETE', `/v1/feedback/${id}`));
  expect((await tenant.call('DELETE', `/v1/feedback/${id}`)).body.error).toBe('Feedback not found');
  expect((await listed(tenant)).data).toEqual(data.slice(0, 2));
});

test('a run inside of another takes feedback; a key is its source', async () => {
  const { tenant: owner, ...tenant } = await tenantWithKey(['TOOLS:EXECUTE', 'TOOLS:READ']);
  const run = await storedRun(owner, 'tool', { parentRunId: newId('exec') });
  await expectStatus(201, tenant.call('POST', run.path, { body: { rating: 1 } }));
  const { data } = await expectStatus(200, tenant.call('GET', run.path));
  expect(data).toMatchObject([{ source: 'key', apiKeyId: expect.stringMatching(/^key_/), rating: 1 }]);
});

test('400 names what is wrong', async () => {
  const tenant = await newTenant();
  const { path } = await storedRun(tenant);
  const wrong: [object, string][] = [
    [{}, 'rating'],
    [{ comment: 'Nice' }, 'rating'],
    [{ rating: 1, score: 1 }, 'score'],
    [{ rating: 2 }, 'rating'],
    [{ rating: 0.5 }, 'rating'],
    [{ score: 1.01 }, 'score'],
    [{ rating: 1, turn: 0 }, 'turn'],
    [{ rating: 1, recordId: 'x' }, 'recordId'],
    [{ rating: 1, label: 'x'.repeat(65) }, 'label'],
    [{ expected: 'é'.repeat(32_768) }, 'expected'],
    [{ rating: 1, comment: '\ud800' }, 'comment'],
    [{ rating: 1, runId: 'x' }, 'runId'],
  ];
  for (const [body, place] of wrong) {
    const { details } = await expectStatus(400, tenant.call('POST', path, { body }));
    expect(details.map((detail: { path: string }) => detail.path)).toContain(place);
  }
  await expectStatus(201, tenant.call('POST', path, { body: { expected: 'é'.repeat(32_767) } }));
  for (const query of ['rating=2', 'flowId=x', 'from=yesterday', 'cursor=x', 'limit=101'])
    await expectStatus(400, tenant.call('GET', `/v1/feedback?${query}`));
  const expected = { path: 'rating', message: 'Expected -1, 0 or 1' };
  expect((await tenant.call('POST', path, { body: { rating: 2 } })).body.details).toMatchObject([expected]);
  expect((await tenant.call('GET', '/v1/feedback?rating=2')).body.details).toMatchObject([expected]);
});

test('another tenant’s run and feedback are missing ones', async () => {
  const [tenant, other] = [await newTenant(), await newTenant()];
  const run = await storedRun(tenant);
  const { id } = await expectStatus(201, tenant.call('POST', run.path, { body: { rating: 1 } }));
  const missing = { status: 404, body: { error: 'Run not found' } };
  for (const path of [run.path, `/v1/runs/${newId('batch')}/feedback`]) {
    expect(await other.call('GET', path)).toMatchObject(missing);
    expect(await other.call('POST', path, { body: { rating: 1 } })).toMatchObject(missing);
  }
  await expectStatus(404, other.call('DELETE', `/v1/feedback/${id}`));
  expect((await listed(other)).data).toEqual([]);
  expect((await listed(tenant)).data).toHaveLength(1);
});

test('a kind of runs takes its own permission: others are missing, or refused if they can be read', async () => {
  const tenant = await newTenant();
  const [flow, agent] = [await storedRun(tenant), await storedRun(tenant, 'agent')];
  const give = { body: { rating: 1 } };
  const { id } = await expectStatus(201, tenant.call('POST', agent.path, give));
  await expectStatus(201, tenant.call('POST', flow.path, give));
  const as = async (permissions: string[]) => newTenant({ userId: tenant.userId, permissions });
  const flows = await as(['FLOWS:*']);
  expect((await listed(flows)).data).toMatchObject([{ kind: 'flow', flowId }]);
  await expectStatus(201, flows.call('POST', flow.path, give));
  await expectStatus(404, flows.call('GET', agent.path));
  await expectStatus(404, flows.call('POST', agent.path, give));
  await expectStatus(404, flows.call('DELETE', `/v1/feedback/${id}`));
  const reader = await as(['FLOWS:*', 'AGENTS:READ']);
  expect((await expectStatus(403, reader.call('POST', agent.path, give))).details).toContain(
    'AGENTS:EXECUTE',
  );
  expect((await expectStatus(403, reader.call('DELETE', `/v1/feedback/${id}`))).details).toContain(
    'AGENTS:WRITE',
  );
  await expectStatus(403, (await as(['RECORDS:*'])).call('GET', '/v1/feedback'));
});

test('filters combine, and pages lead through all of it', async () => {
  const tenant = await newTenant();
  const [flow, agent] = [await storedRun(tenant), await storedRun(tenant, 'agent')];
  const ids: string[] = [];
  for (let n = 0; n < 9; n++) {
    const { path } = n % 3 === 0 ? agent : flow;
    const body = { rating: (n % 2) - 1 };
    ids.unshift((await expectStatus(201, tenant.call('POST', path, { body }))).id);
  }
  const idsOf = async (query: string) =>
    (await listed(tenant, query)).data.map(({ id }: { id: string }) => id);
  expect(await idsOf('')).toEqual(ids);
  expect(await idsOf(`?agentId=${agentId}`)).toHaveLength(3);
  expect(await idsOf(`?flowId=${flowId}&rating=-1`)).toHaveLength(3);
  expect(await idsOf(`?flowId=${flowId}&agentId=${agentId}`)).toEqual([]);
  expect(await idsOf('?to=2020-01-01T00:00:00Z')).toEqual([]);
  expect(await idsOf(`?from=2020-01-01T00:00:00Z&to=${new Date(Date.now() + 5_000).toISOString()}`)).toEqual(
    ids,
  );
  for (const filter of ['', `&flowId=${flowId}`]) {
    const all: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await listed(tenant, `?limit=2${filter}${cursor && `&cursor=${cursor}`}`);
      all.push(...page.data.map(({ id }: { id: string }) => id));
      cursor = page.pagination.nextCursor;
    }
    expect(all).toEqual(await idsOf(`?limit=100${filter}`));
  }
});

test('a page ends before it is larger than a response, and continues', async () => {
  const tenant = await newTenant();
  const run = await storedRun(tenant);
  const expected = 'x'.repeat(65_000);
  for (let n = 0; n < 70; n++) await expectStatus(201, tenant.call('POST', run.path, { body: { expected } }));
  const first = await expectStatus(200, tenant.call('GET', `${run.path}?limit=100`));
  expect(first.pagination.hasMore).toBe(true);
  const query = `?limit=100&cursor=${first.pagination.nextCursor}`;
  const second = await expectStatus(200, tenant.call('GET', run.path + query));
  expect(first.data.length + second.data.length).toBe(70);
});

test('what visitors send is feedback on the run that answered; the last vote replaces the one before', async () => {
  const { tenant, sessionId } = await agentChat();
  const messages = [{ id: 'u1', role: 'user', content: 'Hello' }];
  await answerTo(sessionId, '', { messages, assistantMessageId: 'a1' });
  const send = (body: object) => expectStatus(201, fromPage('feedback', { sessionId, ...body }));
  await send({ type: 'upvote', messageId: 'a1' });
  const { feedbackId } = await send({ type: 'downvote', messageId: 'a1', comment: 'Wrong' });
  await send({ type: 'copy', messageId: 'a1' });
  await send({ type: 'csat', rating: 2 });
  await send({ type: 'nps', rating: 9 });
  const { data } = await listed(tenant);
  const ofAnswer = { runId: expect.stringMatching(/^exec_/), messageId: 'a1' };
  expect(data).toMatchObject([
    { runId: null, label: 'nps', score: 0.9, rating: null },
    { runId: null, label: 'csat', score: 0.25 },
    { ...ofAnswer, label: 'copy', rating: null, score: null },
    {
      ...ofAnswer,
      id: feedbackId,
      rating: -1,
      comment: 'Wrong',
      kind: 'agent',
      source: 'client',
      userId: null,
    },
  ]);
  expect((await listed(tenant, '?rating=-1')).data).toHaveLength(1);
  await expectStatus(204, tenant.call('DELETE', `/v1/feedback/${feedbackId}`));
  const { feedback, id } = await onlyConversation(tenant);
  expect(feedback.map(({ type }: { type: string }) => type)).toEqual(['copy', 'csat', 'nps']);
  await expectStatus(204, tenant.call('DELETE', `/v1/conversations/${id}`));
  await expect.poll(async () => (await listed(tenant)).data).toEqual([]);
});

test('feedback is deleted with its run', async () => {
  const tenant = await newTenant();
  const [run, other] = [await storedRun(tenant), await storedRun(tenant)];
  for (const { path } of [run, run, other])
    await expectStatus(201, tenant.call('POST', path, { body: { score: 0 } }));
  await feedbackRemover(countingRuntime().scopeOf(tenant.tenant)).ofRun(run.id);
  expect((await listed(tenant)).data).toMatchObject([{ runId: other.id }]);
});

test('a deleted flow takes the feedback on its runs along, and leaves their numbers', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, [template('hello')]);
  const body = { flow: { id: flow.id }, options: { streamResponse: false } };
  const { executionId } = await expectStatus(200, tenant.call('POST', '/v1/dispatch', { body }));
  const other = await storedRun(tenant);
  for (const id of [executionId, other.id])
    await expectStatus(201, tenant.call('POST', `/v1/runs/${id}/feedback`, { body: { rating: 1 } }));
  const runs = async () =>
    (await expectStatus(200, tenant.call('GET', '/v1/run-metrics?kind=flow'))).groups[0].total.runs;
  expect(await runs()).toBe(2);
  await expectStatus(204, tenant.call('DELETE', `/v1/flows/${flow.id}`));
  await eventually(async () => expect((await listed(tenant)).data).toMatchObject([{ runId: other.id }]));
  await eventually(async () => {
    const { data } = await expectStatus(200, tenant.call('GET', '/v1/runs?kind=flow'));
    expect(data.map(({ id }: { id: string }) => id)).toEqual([other.id]);
  });
  expect(await runs()).toBe(2);
});

test('a score may be as small as JSON allows; it is rounded to six decimals', async () => {
  const tenant = await newTenant();
  const { path } = await storedRun(tenant);
  for (const score of [1e-131, 0.1234567, 1])
    await expectStatus(201, tenant.call('POST', path, { body: { score } }));
  const { data } = await expectStatus(200, tenant.call('GET', path));
  expect(data.map(({ score }: { score: number }) => score)).toEqual([1, 0.123457, 0]);
});

test('a place that no run of the kind has is a 400 that names it', async () => {
  const tenant = await newTenant();
  const [recordId, other] = [newId('record'), newId('record')];
  const refused = async (kind: RunKind, body: object, more: object = {}) => {
    const { path } = await storedRun(tenant, kind, more);
    const answer = await tenant.call('POST', path, { body: { rating: 1, ...body } });
    return answer.status === 201 ? [] : answer.body.details.map((detail: { path: string }) => detail.path);
  };
  const everywhere = { recordId, stepId: 's1', turn: 1 };
  expect(await refused('batch', everywhere)).toEqual(['turn']);
  expect(await refused('batch', { recordId, stepId: 's1' })).toEqual([]);
  expect(await refused('flow', everywhere)).toEqual(['recordId', 'turn']);
  expect(await refused('flow', { stepId: 's1' })).toEqual([]);
  expect(await refused('flow', { recordId, stepId: 's1' }, { recordId })).toEqual([]);
  expect(await refused('flow', { recordId: other }, { recordId })).toEqual(['recordId']);
  expect(await refused('agent', everywhere)).toEqual(['recordId', 'stepId']);
  expect(await refused('agent', { turn: 1 })).toEqual([]);
  expect(await refused('tool', everywhere)).toEqual(['recordId', 'stepId', 'turn']);
});
