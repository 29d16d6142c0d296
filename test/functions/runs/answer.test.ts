import { expect, test } from 'vitest';
import { findSentMessages } from '../../support/data/outbox.ts';
import {
  createRecords,
  expectStatus,
  finishedBatch,
  publishedFlow,
  template,
} from '../../support/flows/flows.ts';
import { everyStepResult } from '../../support/flows/step-results.ts';
import { eventually } from '../../support/stack/eventually.ts';
import { newKey } from '../../support/stack/keys.ts';
import { call as anonymous, callerWith, newTenant, type Tenant } from '../../support/stack/stack.ts';

const approval = (config: object = {}) => ({
  type: 'approval',
  id: 'ask',
  name: 'Ask',
  config: { question: 'Send {{ _record.name }}?', outputVariable: 'said', ...config },
});
const each = (items: string, ...steps: object[]) => ({
  type: 'map',
  id: 'each',
  name: 'Each',
  config: { items, steps, outputVariable: 'all' },
});

const callback = {
  type: 'wait-for-callback',
  id: 'hear',
  name: 'Hear',
  config: { timeoutMinutes: 5, outputVariable: 'body' },
};

const addressIn = ({ tenant }: Tenant) => `${tenant.replace(/\W/g, '')}@example.com`;

async function linkSentTo(address: string) {
  const text = await eventually(async () => {
    const [email] = await findSentMessages(address);
    if (!email) throw new Error('No email');
    return JSON.stringify(email);
  }, 20_000);
  return { text, token: /approvals#(tv_approval_\w+)/.exec(text)?.[1] ?? '' };
}

async function paused(tenant: Tenant, ...steps: object[]) {
  const body = {
    flow: { name: 'Inline', steps },
    record: { name: 'it', type: 'thing' },
    options: { streamResponse: false },
  };
  const result = await expectStatus(200, tenant.call('POST', '/v1/dispatch', { body }));
  expect(result, JSON.stringify(result)).toMatchObject({ status: 'paused', success: true });
  return result as { executionId: string; batchExecutionId: string; waits: Record<string, unknown>[] };
}

const answer = ({ call }: Pick<Tenant, 'call'>, id: string, body: object) =>
  call('POST', `/v1/runs/${id}/answer`, { body: { stepId: 'ask', choice: 'approve', ...body } });
const waitsOf = async ({ call }: Tenant, id: string) =>
  (await expectStatus(200, call('GET', `/v1/runs/${id}`))).waits as Record<string, string>[];
const ended = ({ call }: Tenant, id: string) =>
  eventually(async () => {
    const run = await expectStatus(200, call('GET', `/v1/runs/${id}`));
    if (!['completed', 'failed', 'cancelled'].includes(run.status)) throw new Error(`It is ${run.status}`);
    return run;
  }, 20_000);

test('a run waits for an answer, and goes on with it', async () => {
  const tenant = await newTenant();
  const { executionId, waits } = await paused(
    tenant,
    approval(),
    template('{{ said.choice }}: {{ said.comment }}'),
  );
  expect(waits).toEqual([
    {
      runId: executionId,
      recordId: null,
      stepId: 'ask',
      stepName: 'Ask',
      stepPath: 'ask',
      itemKey: null,
      kind: 'approval',
      question: 'Send it?',
      details: null,
      choices: ['approve', 'reject'],
      form: null,
      callbackUrl: null,
      since: expect.any(String),
      expiresAt: expect.any(String),
    },
  ]);
  const [wait] = waits as [Record<string, string>];
  expect(Date.parse(wait.expiresAt ?? '') - Date.parse(wait.since ?? '')).toBe(7 * 86_400_000);
  expect(await waitsOf(tenant, executionId)).toEqual(waits);
  const said = await expectStatus(200, answer(tenant, executionId, { comment: 'fine' }));
  expect(said).toMatchObject({ runId: executionId, choice: 'approve', comment: 'fine', values: null });
  expect(await ended(tenant, executionId)).toMatchObject({ status: 'completed', waits: [] });
  const { output } = await ended(tenant, executionId);
  expect(output).toBe('approve: fine');
  expect((await answer(tenant, executionId, { choice: 'reject' })).status).toBe(409);
});

test('a question of a branch that was stopped is closed', async () => {
  const tenant = await newTenant();
  const fail = { type: 'transform-data', name: 'Fail', config: { script: 'throw new Error("no")' } };
  const branches = [
    { name: 'asking', steps: [approval({ question: 'Now?' })] },
    { name: 'failing', steps: [{ type: 'wait-until', name: 'Soon', config: { delayMs: 200 } }, fail] },
  ];
  const both = { type: 'parallel', name: 'Both', config: { branches } };
  const config = { items: '[1]', onError: 'continue', steps: [both], outputVariable: 'all' };
  const { executionId, waits } = await paused(
    tenant,
    { type: 'map', name: 'Each', config },
    { ...approval(), id: 'later' },
  );
  expect(waits.map(({ stepId }) => stepId)).toEqual(['later']);
  expect((await answer(tenant, executionId, {})).status).toBe(409);
  await expectStatus(200, answer(tenant, executionId, { stepId: 'later' }));
  expect(await ended(tenant, executionId)).toMatchObject({ status: 'completed' });
});

test('of several answers at once, one counts', async () => {
  const tenant = await newTenant();
  const { executionId } = await paused(tenant, approval());
  const answers = await Promise.all(
    ['approve', 'reject', 'approve', 'reject'].map((choice) => answer(tenant, executionId, { choice })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
  const counted = answers.find(({ status }) => status === 200)?.body.choice;
  expect(await ended(tenant, executionId)).toMatchObject({ output: { choice: counted } });
});

test('each answer in a map continues its item; itemKey is needed while several wait', async () => {
  const tenant = await newTenant();
  const { executionId, waits } = await paused(
    tenant,
    each('["a", "b", "c"]', approval({ question: '{{ item }}?' }), template('{{ item }} {{ said.choice }}')),
  );
  expect(waits.map(({ itemKey, stepPath, question }) => [itemKey, stepPath, question])).toEqual([
    ['0', 'each[0]/ask', 'a?'],
    ['1', 'each[1]/ask', 'b?'],
    ['2', 'each[2]/ask', 'c?'],
  ]);
  const unclear = await answer(tenant, executionId, {});
  expect(unclear).toMatchObject({ status: 400, body: { details: [{ path: 'itemKey' }] } });
  await expectStatus(200, answer(tenant, executionId, { itemKey: '1', choice: 'reject' }));
  await expectStatus(200, answer(tenant, executionId, { stepId: 'each[2]/ask' }));
  await expectStatus(200, answer(tenant, executionId, {}));
  expect(await ended(tenant, executionId)).toMatchObject({
    status: 'completed',
    output: ['a approve', 'b reject', 'c approve'],
  });
});

test('the record of a batch is answered by its run, or by the batch and the record', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, [approval(), template('{{ said.choice }}')]);
  const records = await createRecords(tenant, 'thing', 2);
  const body = { flowId: flow.id, recordIds: records.map(({ id }) => id) };
  const { batchExecutionId: batchId } = await expectStatus(
    200,
    tenant.call('POST', '/v1/batch/flow', { body }),
  );
  const waits = await eventually(async () => {
    const found = await waitsOf(tenant, batchId);
    if (found.length < 2) throw new Error(`${found.length} wait`);
    return found;
  }, 20_000);
  const [first, second] = waits as [Record<string, string>, Record<string, string>];
  expect((await answer(tenant, batchId, {})).body.details).toMatchObject([{ path: 'recordId' }]);
  await expectStatus(200, answer(tenant, batchId, { recordId: first.recordId }));
  expect((await answer(tenant, batchId, { recordId: first.recordId })).status).toBe(409);
  expect((await answer(tenant, batchId, { recordId: `${batchId.replace('batch', 'record')}` })).status).toBe(
    404,
  );
  await expectStatus(200, answer(tenant, second.runId ?? '', { choice: 'reject' }));
  expect(await finishedBatch(tenant, batchId)).toMatchObject({ status: 'completed', successCount: 2 });
  const rows = await everyStepResult(tenant, `/v1/flows/${flow.id}/step-results`);
  const outputs = rows
    .filter(({ stepType }) => stepType === 'template')
    .map((row) => [row.recordId, row.outputPreview]);
  expect(new Map(outputs as [string, string][])).toEqual(
    new Map([
      [first.recordId, 'approve'],
      [second.recordId, 'reject'],
    ]),
  );
});

test('the form decides which values an answer has', async () => {
  const tenant = await newTenant();
  const form = { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] };
  const { executionId } = await paused(
    tenant,
    approval({ form, choices: ['pay'] }),
    template('{{ said.values.amount }}'),
  );
  const pay = (more: object) => answer(tenant, executionId, { choice: 'pay', ...more });
  expect((await answer(tenant, executionId, {})).body.details).toMatchObject([{ path: 'choice' }]);
  expect((await pay({})).body.details).toMatchObject([{ path: 'values' }]);
  expect((await pay({ values: { amount: 'x' } })).body.details).toMatchObject([{ path: 'values.amount' }]);
  await expectStatus(200, pay({ values: { amount: 7 } }));
  expect(await ended(tenant, executionId)).toMatchObject({ output: '7' });
});

test('a link is sent to each assignee, works once without an account, and is no use for anything else', async () => {
  const tenant = await newTenant();
  const address = addressIn(tenant);
  const { executionId } = await paused(
    tenant,
    approval({ assignees: { emails: [address] }, details: 'Look' }),
  );
  const { token, text } = await linkSentTo(address);
  expect(text).toContain('Send it?');
  const show = () => anonymous('POST', '/v1/approvals/show', { body: { token } });
  const question = await expectStatus(200, show());
  expect(question).toMatchObject({ question: 'Send it?', details: 'Look', choices: ['approve', 'reject'] });
  await expectStatus(200, show());
  const reply = (body: object) =>
    anonymous('POST', '/v1/approvals/answer', { body: { token, choice: 'reject', ...body } });
  expect((await reply({ choice: 'maybe' })).status).toBe(400);
  await expectStatus(200, reply({ comment: 'no' }));
  expect((await reply({})).status).toBe(409);
  expect((await show()).status).toBe(409);
  const run = await ended(tenant, executionId);
  expect(run.output).toMatchObject({ choice: 'reject', comment: 'no', answeredBy: address });
  expect((await callerWith(token)('GET', '/v1/flows')).status).toBe(401);
  const wrong = await anonymous('POST', '/v1/approvals/show', {
    body: { token: `${token.slice(0, -1)}${token.endsWith('x') ? 'y' : 'x'}` },
  });
  expect(wrong.status).toBe(404);
});

test('after a cancel and for others, there is nothing to answer', async () => {
  const tenant = await newTenant();
  const { executionId } = await paused(tenant, approval());
  const stranger = await newTenant();
  expect((await answer(stranger, executionId, {})).status).toBe(404);
  const reads = await newKey(tenant, { permissions: ['FLOWS:READ'] });
  expect((await answer(reads, executionId, {})).status).toBe(403);
  expect((await answer(tenant, executionId, { stepId: 'other' })).status).toBe(404);
  await expectStatus(200, tenant.call('POST', `/v1/runs/${executionId}/cancel`));
  expect((await answer(tenant, executionId, {})).status).toBe(409);
});

test('a callback continues the run with what it brings, once', async () => {
  const tenant = await newTenant();
  const { executionId, waits } = await paused(tenant, callback, template('{{ body.n }}'));
  const url = new URL(String(waits[0]?.callbackUrl));
  const send = (body: unknown, more: object = {}) => anonymous('POST', url.pathname, { body, ...more });
  expect((await anonymous('POST', `${url.pathname.slice(0, -1)}x`, { body: {} })).status).toBe(404);
  expect((await send({ text: 'x'.repeat(262_144) })).status).toBe(413);
  expect((await answer(tenant, executionId, { stepId: 'hear' })).status).toBe(404);
  const all = await Promise.all([1, 2, 3].map((n) => send({ n })));
  expect(all.map(({ status }) => status).sort()).toEqual([202, 404, 404]);
  const counted = all.findIndex(({ status }) => status === 202) + 1;
  expect(await ended(tenant, executionId)).toMatchObject({ status: 'completed', output: String(counted) });
});

test('a tenant sends 50 emails an hour to strangers: what exceeds that fails in words, and sends nothing', async () => {
  const tenant = await newTenant();
  const own = addressIn(tenant);
  const ask = approval({ assignees: { emails: ['a{{ item }}{{ own }}', 'b{{ item }}{{ own }}'] } });
  const config = { items: 'Array.from({ length: 30 }, (_, i) => i)', concurrency: 1, steps: [ask] };
  const body = {
    flow: { name: 'Many', steps: [{ type: 'map', name: 'Each', config }] },
    inputs: { own },
    options: { streamResponse: false },
  };
  const result = await expectStatus(200, tenant.call('POST', '/v1/dispatch', { body }));
  expect(result).toMatchObject({ success: false });
  expect(result.error).toContain('The limit for messages is reached');
  const more = { from: 'flows@example.com', to: [own], subject: 'x', text: 'x' };
  const email = { type: 'send-email', name: 'Send', config: more };
  const later = await expectStatus(
    200,
    tenant.call('POST', '/v1/dispatch', { body: { ...body, flow: { name: 'One', steps: [email] } } }),
  );
  expect(later.error).toContain('TENANT_STRANGERS_PER_HOUR');
  const sent = (await findSentMessages(own)).map((message) => JSON.stringify(message));
  expect(sent.length).toBeLessThanOrEqual(50);
  expect(sent.filter((message) => message.includes(`"${own}"`))).toEqual([]);
});

test('who has answered an approval is no stranger', async () => {
  const tenant = await newTenant();
  const own = addressIn(tenant);
  const { executionId } = await paused(tenant, approval({ assignees: { emails: [own] } }));
  const { token } = await linkSentTo(own);
  const given = { token, choice: 'approve' };
  await expectStatus(200, anonymous('POST', '/v1/approvals/answer', { body: given }));
  await ended(tenant, executionId);
  const send = async (to: string[]) => {
    const config = { from: 'flows@example.com', to, subject: 'x', text: 'x' };
    const flow = { name: 'Send', steps: [{ type: 'send-email', name: 'Send', config }] };
    const body = { flow, options: { streamResponse: false } };
    return (await expectStatus(200, tenant.call('POST', '/v1/dispatch', { body }))).error;
  };
  expect(await send(Array.from({ length: 49 }, (_, n) => `n${n}${own}`))).toBeNull();
  expect(await send([own])).toBeNull();
  expect(await send([`another${own}`])).toContain('The limit for messages is reached');
});

test('a callback that is nested too deeply for an output is a 400, and the address still works', async () => {
  const tenant = await newTenant();
  const { executionId, waits } = await paused(tenant, callback);
  const { pathname } = new URL(String(waits[0]?.callbackUrl));
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  const refused = await anonymous('POST', pathname, { body: nested(1_900) });
  expect([refused.status, refused.body.details]).toMatchObject([400, [{ code: 'TOO_DEEP' }]]);
  expect((await anonymous('POST', pathname, { body: nested(100) })).status).toBe(202);
  expect(await ended(tenant, executionId)).toMatchObject({ status: 'completed' });
});

test('the address of a callback is shown to those who may continue the run, and not to those who may read it', async () => {
  const tenant = await newTenant();
  const { executionId } = await paused(tenant, callback);
  const shownTo = async (permissions: string[]) => {
    const { call } = await newKey(tenant, { permissions });
    const { waits } = await expectStatus(200, call('GET', `/v1/runs/${executionId}`));
    return waits[0].callbackUrl;
  };
  expect(await shownTo(['FLOWS:READ'])).toBeNull();
  expect(await shownTo(['FLOWS:READ', 'FLOWS:EXECUTE'])).toMatch(/^http.+\/v1\/callbacks\//);
});

test.each([
  ['null', 202],
  ['', 400],
  ['{', 400],
])('a callback with the body %j: %i', async (text, status) => {
  const tenant = await newTenant();
  const { executionId, waits } = await paused(tenant, callback);
  const { pathname } = new URL(String(waits[0]?.callbackUrl));
  expect((await anonymous('POST', pathname, { body: text })).status).toBe(status);
  if (status === 202) expect(await ended(tenant, executionId)).toMatchObject({ output: null });
  else expect(await waitsOf(tenant, executionId)).toHaveLength(1);
});

test('the link of an approval is no address for a callback, and the address no link', async () => {
  const tenant = await newTenant();
  const address = addressIn(tenant);
  const asked = await paused(tenant, approval({ assignees: { emails: [address] } }));
  const { token } = await linkSentTo(address);
  expect((await anonymous('POST', `/v1/callbacks/${token}`, { body: {} })).status).toBe(404);
  expect(await waitsOf(tenant, asked.executionId)).toHaveLength(1);
  const { waits } = await paused(tenant, callback);
  const other = String(waits[0]?.callbackUrl).split('/').at(-1);
  expect((await anonymous('POST', '/v1/approvals/show', { body: { token: other } })).status).toBe(404);
});

const bad: [string, string, object][] = [
  ['no question', 'question', { question: '' }],
  ['a choice twice', 'choices', { choices: ['a', 'a'] }],
  ['no such choice after the time', 'onTimeout', { onTimeout: 'maybe' }],
  ['a time that is too long', 'timeoutMinutes', { timeoutMinutes: 43_201 }],
  ['a form of no object', 'form', { form: { type: 'string' } }],
  ['a form that is none', 'form.type', { form: { type: 'nothing' } }],
  ['no address', 'assignees.webhookUrl', { assignees: { webhookUrl: 'ftp://example.com' } }],
];
test.each(bad)('400 for an approval with %s', async (_what, member, config) => {
  const { call } = await newTenant();
  const body = { name: 'Bad', flowSteps: [approval(config)] };
  const { details } = await expectStatus(400, call('POST', '/v1/flows', { body }));
  expect(details.map(({ path }: { path: string }) => path)).toContain(`flowSteps.0.config.${member}`);
});
