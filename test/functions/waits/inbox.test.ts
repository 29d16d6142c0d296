import { randomUUID } from 'node:crypto';
import { expect, inject, test } from 'vitest';
import { inboxWriter } from '../../../shared/domain/run-waits/inbox-store.ts';
import { inboxWaitEntity } from '../../../shared/domain/run-waits/inbox-wait.ts';
import { answered, calls, createScriptedAgent, run, scripted } from '../../support/agents/agent-runs.ts';
import { findSentMessages } from '../../support/data/outbox.ts';
import { createRecords, expectStatus, publishedFlow, template } from '../../support/flows/flows.ts';
import { checkSlackMessage, checkTeamsMessage } from '../../support/servers/chat-webhooks.ts';
import type { ReceivedWebhook } from '../../support/servers/webhook-receiver.ts';
import { eventually } from '../../support/stack/eventually.ts';
import { newKey } from '../../support/stack/keys.ts';
import { countingRuntime, newTenant, type Tenant } from '../../support/stack/stack.ts';

interface Shown {
  id: string;
  since: string;
  overdueAt: string;
  recordName: string;
  error: unknown;
}

const listed = async ({ call }: Pick<Tenant, 'call'>, query = ''): Promise<Shown[]> =>
  (await expectStatus(200, call('GET', `/v1/waits?limit=100&${query}`))).data;

const act = ({ call }: Pick<Tenant, 'call'>, id: string, action: string, body?: object) =>
  call('POST', `/v1/waits/${id}/${action}`, body === undefined ? {} : { body });

const approval = (config: object = {}) => ({
  type: 'approval',
  id: 'ask',
  name: 'Ask',
  config: { question: 'Send it?', outputVariable: 'said', ...config },
});

async function pausedFlow(tenant: Tenant, config: object = {}, options: object = {}) {
  const flow = await publishedFlow(tenant, [approval(config), template('{{ said.choice }}')]);
  const body = { flow: { id: flow.id }, options: { streamResponse: false, ...options } };
  const { executionId } = await expectStatus(200, tenant.call('POST', '/v1/dispatch', { body }));
  return { flowId: flow.id as string, runId: executionId as string };
}

const statusOf = async (tenant: Tenant, id: string) =>
  (await expectStatus(200, tenant.call('GET', `/v1/runs/${id}`))).status;

const toolApproval = { tools: { toolIds: ['builtin:calculator'], approval: { require: true } } };
const sum = calls(['calculator', { expression: '19 + 23' }]);

async function pausedAgent(tenant: Tenant, options: object = {}) {
  const agent = await createScriptedAgent(tenant, toolApproval);
  const { executionId } = await answered(run(tenant, agent.id, scripted(sum, { text: 'done' }), { options }));
  return { agentId: agent.id as string, runId: executionId as string };
}

test('one list has what flows and agents wait for, with what helps to decide', async () => {
  const tenant = await newTenant();
  const flow = await pausedFlow(tenant, { details: 'All of it' }, { tags: ['duty'] });
  const agent = await pausedAgent(tenant);
  const [ofAgent, ofFlow] = await listed(tenant);
  expect(ofFlow).toMatchObject({
    ...flow,
    rootRunId: flow.runId,
    kind: 'approval',
    stepId: 'ask',
    question: 'Send it?',
    details: 'All of it',
    choices: ['approve', 'reject'],
    tags: ['duty'],
    answer: null,
    claimedBy: null,
  });
  expect(ofAgent).toMatchObject({
    ...agent,
    kind: 'tool-approval',
    choices: ['approve', 'reject'],
    details: { tool: 'calculator', arguments: [{ name: 'expression', value: '19 + 23', origin: 'user' }] },
  });
  const ids = async (query: string) => (await listed(tenant, query)).map(({ id }) => id);
  expect(await ids('kind=approval,callback')).toEqual([ofFlow?.id]);
  expect(await ids(`flowId=${flow.flowId}`)).toEqual([ofFlow?.id]);
  expect(await ids(`agentId=${agent.agentId}`)).toEqual([ofAgent?.id]);
  expect(await ids('tag=duty')).toEqual([ofFlow?.id]);
  expect(await ids('overdue=true')).toEqual([]);
  expect(await ids('status=answered')).toEqual([]);
  expect(await ids('sort=expiresAt')).toEqual([ofAgent?.id, ofFlow?.id]);
});

test('an answer continues a flow; the wait is gone from what is open at once, and is among the answered', async () => {
  const tenant = await newTenant();
  const { runId } = await pausedFlow(tenant);
  const [wait] = await listed(tenant);
  const id = wait?.id ?? '';
  expect(
    await expectStatus(200, act(tenant, id, 'answer', { choice: 'reject', comment: 'No' })),
  ).toMatchObject({
    id,
    choice: 'reject',
    comment: 'No',
  });
  expect(await listed(tenant)).toEqual([]);
  expect(await listed(tenant, 'status=answered')).toMatchObject([{ id, answer: { choice: 'reject' } }]);
  expect((await act(tenant, id, 'answer', { choice: 'approve' })).status).toBe(409);
  await eventually(async () => expect(await statusOf(tenant, runId)).toBe('completed'));
});

test('an answer continues an agent that ran in front of its caller, in the background', async () => {
  const tenant = await newTenant();
  const { runId, agentId } = await pausedAgent(tenant);
  const [wait] = await listed(tenant);
  expect((await act(tenant, wait?.id ?? '', 'answer', { choice: 'maybe' })).status).toBe(400);
  await expectStatus(200, act(tenant, wait?.id ?? '', 'answer', { choice: 'approve' }));
  await eventually(async () => expect(await statusOf(tenant, runId)).toBe('completed'));
  expect(await listed(tenant)).toEqual([]);
  const details = await expectStatus(200, tenant.call('GET', `/v1/agents/${agentId}/executions/${runId}`));
  expect(details).toMatchObject({ finalOutput: 'done', iterations: 2 });
});

test('what is answered elsewhere, cancelled or ended is listed no more', async () => {
  const tenant = await newTenant();
  const flow = await pausedFlow(tenant);
  const [one, other] = [await pausedAgent(tenant), await pausedAgent(tenant)];
  expect(await listed(tenant)).toHaveLength(3);
  await expectStatus(200, tenant.call('POST', `/v1/runs/${flow.runId}/cancel`));
  await expectStatus(200, tenant.call('POST', `/v1/runs/${one.runId}/cancel`));
  const [left] = await listed(tenant);
  expect(left).toMatchObject({ runId: other.runId });
  await expectStatus(200, tenant.call('DELETE', `/v1/agents/${other.agentId}`));
  await eventually(async () => expect(await listed(tenant)).toEqual([]));
});

test.each([
  ['a flow', pausedFlow],
  ['an agent', pausedAgent],
])(
  '409 for each action on a wait of %s that was cancelled, or is answered, with the reason',
  async (_, pause) => {
    const tenant = await newTenant();
    const { runId } = await pause(tenant);
    const [cancelled] = await listed(tenant);
    await expectStatus(200, tenant.call('POST', `/v1/runs/${runId}/cancel`));
    await pause(tenant);
    const [done] = await listed(tenant);
    await expectStatus(200, act(tenant, done?.id ?? '', 'answer', { choice: 'approve' }));
    const actions: [string, object?][] = [
      ['answer', { choice: 'approve' }],
      ['remind'],
      ['claim'],
      ['release'],
      ['reassign', { emails: ['ada@example.com'] }],
    ];
    for (const [action, body] of actions) {
      const { status, body: refused } = await act(tenant, cancelled?.id ?? '', action, body);
      expect([action, status, refused.details[0].message]).toEqual([
        action,
        409,
        'Its run has ended, or went on without an answer',
      ]);
      const again = await act(tenant, done?.id ?? '', action, body);
      expect([action, again.status, again.body.details[0].message]).toEqual([
        action,
        409,
        'It has been answered already',
      ]);
    }
    const both = { ids: [cancelled?.id, done?.id], choice: 'approve' };
    const { results } = await expectStatus(200, tenant.call('POST', '/v1/waits/answer', { body: both }));
    expect(results.map(({ error }: { error: { code: string } }) => error.code)).toEqual([
      'CONFLICT',
      'CONFLICT',
    ]);
  },
);

test('two spellings of an address are one person', async () => {
  const tenant = await newTenant();
  const ada = addressIn(tenant, 'ada').toLowerCase();
  const shouted = ada.replace('ada', 'ADA');
  await pausedFlow(tenant, { assignees: { emails: [ada, shouted] } });
  const [wait] = await listed(tenant, `assignee=${encodeURIComponent(shouted)}`);
  const id = wait?.id ?? '';
  const twice = await act(tenant, id, 'reassign', { emails: [ada, shouted] });
  expect(twice).toMatchObject({
    status: 400,
    body: { details: [{ path: 'emails.1', code: 'DUPLICATE_ID' }] },
  });
  // She was asked already.
  const { assignees } = await expectStatus(200, act(tenant, id, 'reassign', { emails: [shouted] }));
  expect(assignees).toEqual({ emails: [ada] });
  const sent = [...(await findSentMessages(ada)), ...(await findSentMessages(shouted))];
  expect(sent.length).toBeLessThanOrEqual(1);
});

test('of two persons who claim at once one gets it; only that one releases it, or who may do everything', async () => {
  const tenant = await newTenant();
  await pausedFlow(tenant);
  const [wait] = await listed(tenant);
  const id = wait?.id ?? '';
  const permissions = ['FLOWS:READ', 'FLOWS:EXECUTE'];
  const [ada, bob] = [await newKey(tenant, { permissions }), await newKey(tenant, { permissions })];
  const answers = await Promise.all([act(ada, id, 'claim'), act(bob, id, 'claim')]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  const [winner, loser] = answers[0].status === 200 ? [ada, bob] : [bob, ada];
  expect(await listed(tenant, `claimedBy=${winner.id}`)).toMatchObject([{ id, claimedBy: winner.id }]);
  expect((await act(winner, id, 'claim')).status).toBe(200);
  expect((await act(loser, id, 'release')).status).toBe(403);
  expect((await act(winner, id, 'release')).status).toBe(200);
  expect((await act(winner, id, 'release')).status).toBe(409);
  await expectStatus(200, act(loser, id, 'claim'));
  expect(await expectStatus(200, act(tenant, id, 'release'))).toMatchObject({ claimedBy: null });
  await expectStatus(200, act(bob, id, 'answer', { choice: 'approve' }));
  expect((await act(ada, id, 'claim')).status).toBe(409);
});

test('a bulk answer has a result for each, also for those that are gone', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, [approval(), template('x')]);
  const recordIds = (await createRecords(tenant, 'thing', 30)).map(({ id }) => id);
  await expectStatus(200, tenant.call('POST', '/v1/batch/flow', { body: { flowId: flow.id, recordIds } }));
  const waits = await eventually(async () => {
    const all = await listed(tenant);
    expect(all).toHaveLength(30);
    return all;
  });
  expect(new Set(waits.map(({ recordName }) => recordName)).size).toBe(30);
  const gone = `wait_${'0'.repeat(26)}`;
  const odd = { ids: [waits[0]?.id], choice: 'perhaps' };
  const refused = await expectStatus(200, tenant.call('POST', '/v1/waits/answer', { body: odd }));
  expect(refused.results[0].error).toEqual({
    code: 'VALIDATION',
    message: 'Expected one of approve, reject',
  });
  const body = { ids: [...waits.map(({ id }) => id), gone], choice: 'approve' };
  const { results } = await expectStatus(200, tenant.call('POST', '/v1/waits/answer', { body }));
  expect(results).toHaveLength(31);
  expect(results.filter(({ error }: Shown) => error === null)).toHaveLength(30);
  expect(results.at(-1)).toMatchObject({ id: gone, answer: null, error: { code: 'NOT_FOUND' } });
  expect(await listed(tenant)).toEqual([]);
});

test('a callback is listed, and answered at its address alone', async () => {
  const tenant = await newTenant();
  const hear = {
    type: 'wait-for-callback',
    id: 'hear',
    name: 'Hear',
    config: { timeoutMinutes: 5, outputVariable: 'b' },
  };
  const flow = await publishedFlow(tenant, [hear]);
  const body = { flow: { id: flow.id }, options: { streamResponse: false } };
  const { waits } = await expectStatus(200, tenant.call('POST', '/v1/dispatch', { body }));
  const [wait] = await listed(tenant);
  expect(wait).toMatchObject({ kind: 'callback', choices: null });
  expect((await act(tenant, wait?.id ?? '', 'answer', { choice: 'approve' })).status).toBe(422);
  const { pathname } = new URL(waits[0].callbackUrl);
  await expectStatus(202, tenant.call('POST', pathname, { body: { ok: true } }));
  expect(await listed(tenant)).toEqual([]);
});

test('a local tool of an agent is answered with its output', async () => {
  const tenant = await newTenant();
  const agent = await createScriptedAgent(tenant);
  const local = { name: 'outside', description: 'x', parametersSchema: { type: 'object' } };
  const script = scripted(calls(['outside', { city: 'Lagos' }]), { text: 'warm' });
  const { executionId } = await answered(run(tenant, agent.id, script, { clientTools: [local] }));
  const [wait] = await listed(tenant);
  expect(wait).toMatchObject({ kind: 'local-tool', details: { tool: 'outside' } });
  expect((await act(tenant, wait?.id ?? '', 'answer', { choice: 'approve' })).status).toBe(400);
  await expectStatus(200, act(tenant, wait?.id ?? '', 'answer', { values: { celsius: 31 } }));
  await eventually(async () => expect(await statusOf(tenant, executionId)).toBe('completed'));
});

test('reading takes READ and acting EXECUTE of the kind of the run; another tenant sees nothing', async () => {
  const tenant = await newTenant();
  await pausedFlow(tenant);
  await pausedAgent(tenant);
  const [ofAgent, ofFlow] = await listed(tenant);
  const reader = await newKey(tenant, { permissions: ['AGENTS:READ', 'FLOWS:EXECUTE'] });
  expect((await listed(reader)).map(({ id }) => id)).toEqual([ofAgent?.id]);
  expect((await act(reader, ofAgent?.id ?? '', 'claim')).status).toBe(404);
  expect((await act(reader, ofFlow?.id ?? '', 'answer', { choice: 'approve' })).status).toBe(200);
  const other = await newTenant();
  expect(await listed(other)).toEqual([]);
  expect((await act(other, ofAgent?.id ?? '', 'claim')).status).toBe(404);
});

const addressIn = ({ tenant }: Tenant, name: string) => `${name}-${tenant.replace(/\W/g, '')}@example.com`;
const sweepAt = async ({ tenant }: Tenant, id: string, minutes: number) => {
  const scope = countingRuntime().scopeOf(tenant);
  const wait = await scope.table.get(inboxWaitEntity, { id }, { consistent: true });
  if (wait?.status === 'open') await inboxWriter(scope).sweep(wait, new Date(Date.now() + minutes * 60_000));
};
const countSent = async (address: string, count: number) =>
  eventually(async () => expect(await findSentMessages(address)).toHaveLength(count), 20_000);

test('reminders and escalation: each once, in the hour one at most, with links that work', async () => {
  const tenant = await newTenant();
  const [ada, boss, bob] = ['ada', 'boss', 'bob'].map((name) => addressIn(tenant, name)) as [
    string,
    string,
    string,
  ];
  const escalate = { afterMinutes: 120, emails: [boss] };
  await pausedFlow(tenant, { assignees: { emails: [ada] }, remindAfterMinutes: 60, escalate });
  const [wait] = await listed(tenant);
  const id = wait?.id ?? '';
  await countSent(ada, 1);
  await sweepAt(tenant, id, 30);
  await sweepAt(tenant, id, 61);
  await sweepAt(tenant, id, 61);
  await countSent(ada, 2);
  await sweepAt(tenant, id, 121);
  await countSent(boss, 1);
  expect(await listed(tenant, `assignee=${encodeURIComponent(boss)}`)).toMatchObject([{ id }]);
  await expectStatus(200, act(tenant, id, 'reassign', { emails: [bob] }));
  await countSent(bob, 1);
  // The sweep has reminded within the hour, as far as the entry knows.
  expect((await act(tenant, id, 'remind')).status).toBe(409);
  const [email] = await findSentMessages(bob);
  const token = /approvals#(tv_approval_\w+)/.exec(JSON.stringify(email))?.[1];
  await expectStatus(
    200,
    tenant.call('POST', '/v1/approvals/answer', { body: { token, choice: 'approve' } }),
  );
  expect(await listed(tenant)).toEqual([]);
});

test('a person reminds at most once an hour, and somebody must be asked', async () => {
  const tenant = await newTenant();
  const ada = addressIn(tenant, 'ada');
  await pausedFlow(tenant);
  const [wait] = await listed(tenant);
  const id = wait?.id ?? '';
  expect((await act(tenant, id, 'remind')).status).toBe(409);
  await expectStatus(200, act(tenant, id, 'reassign', { emails: [ada] }));
  const answers = await Promise.all([act(tenant, id, 'remind'), act(tenant, id, 'remind')]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  await countSent(ada, 2);
});

test('what nobody answers in time is expired; overdue is past half of the time', async () => {
  const tenant = await newTenant();
  await pausedFlow(tenant, { timeoutMinutes: 10 });
  const [wait] = await listed(tenant);
  const { id = '', since = '', overdueAt = '' } = wait ?? {};
  expect(Date.parse(overdueAt) - Date.parse(since)).toBe(300_000);
  await sweepAt(tenant, id, 11);
  expect(await listed(tenant)).toEqual([]);
  expect(await listed(tenant, 'status=expired')).toMatchObject([{ id, answer: null }]);
});

test('500 open waits under load: none is listed after its run went on', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, [approval(), template('x')]);
  const recordIds = (await createRecords(tenant, 'thing', 500)).map(({ id }) => id);
  const body = { flowId: flow.id, recordIds, options: { recordConcurrency: 50 } };
  await expectStatus(200, tenant.call('POST', '/v1/batch/flow', { body }));
  const readAll = async () => {
    const all: Shown[] = [];
    for (let cursor = ''; ; ) {
      const query = cursor === '' ? '' : `&cursor=${cursor}`;
      const page = await expectStatus(200, tenant.call('GET', `/v1/waits?limit=100${query}`));
      all.push(...page.data);
      if (!page.pagination.nextCursor) return all;
      cursor = page.pagination.nextCursor;
    }
  };
  const waits = await eventually(async () => {
    const all = await readAll();
    expect(all).toHaveLength(500);
    return all;
  }, 60_000);
  const gone = new Set<string>();
  const answerAll = async () => {
    for (let from = 0; from < 500; from += 100) {
      const ids = waits.slice(from, from + 100).map(({ id }) => id);
      const answer = { ids, choice: 'approve' };
      const { results } = await expectStatus(200, tenant.call('POST', '/v1/waits/answer', { body: answer }));
      for (const { id, error } of results) if (error === null) gone.add(id);
    }
  };
  let isOver = false;
  const watch = async () => {
    while (!isOver) {
      const before = new Set(gone);
      for (const { id } of await listed(tenant)) expect(before.has(id)).toBe(false);
    }
  };
  await Promise.all([answerAll().finally(() => (isOver = true)), watch(), watch()]);
  expect(gone.size).toBe(500);
  expect(await readAll()).toEqual([]);
}, 120_000);

test.each([
  ['slack', checkSlackMessage],
  ['teams', checkTeamsMessage],
] as const)(
  'the webhook of a question in %s gets the question, a link to answer and one to the inbox',
  async (format, check) => {
    const tenant = await newTenant();
    const webhookUrl = `${inject('webhooksUrl')}/${randomUUID()}?as=${format}`;
    const received = (count: number) =>
      eventually(async () => {
        const all: ReceivedWebhook[] = await (await fetch(webhookUrl)).json();
        expect(all).toHaveLength(count);
        return all.map(({ body }) => body);
      });
    const assignees = { webhookUrl, webhookFormat: format };
    await pausedFlow(tenant, { question: 'Pay <!channel>?', details: 'x'.repeat(20_000), assignees });
    const [wait] = await listed(tenant);
    const [body = ''] = await received(1);
    check(body);
    expect(body).toContain('Pay <!channel>?');
    expect(body).toContain('/approvals#');
    expect(body).toContain(`/console#/inbox?wait=${wait?.id}`);
    await expectStatus(200, act(tenant, wait?.id ?? '', 'remind'));
    check((await received(2))[1] ?? '');
  },
);
