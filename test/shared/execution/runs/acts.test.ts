import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { newId } from '../../../../shared/core/ids.ts';
import type { FlowStepInput } from '../../../../shared/domain/flows/checking/flow-step.ts';
import { toRecordRunId } from '../../../../shared/execution/batches/batch-plan.ts';
import { batchStore } from '../../../../shared/execution/batches/batch-store.ts';
import type { Scope } from '../../../../shared/platform/data/scope.ts';
import type { Write } from '../../../../shared/platform/data/writes.ts';
import { type PlannedBatch, plannedBatch, runOnce } from '../../../support/flows/batches.ts';
import { loopback } from '../../../support/servers/loopback.ts';

type Answer = (response: ServerResponse, attempt: number) => unknown;
type Asked = { role: string }[];

const json =
  (status: number, body: unknown, headers = {}) =>
  (response: ServerResponse) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
const charged = json(200, { charged: true });

/** The other side: what it was asked to do, with which key. */
let acts: { name: string; key: string | undefined }[];
let other: Awaited<ReturnType<typeof loopback>>;
let model: (messages: Asked) => (response: ServerResponse) => unknown;
let answer: Answer;

beforeEach(async () => {
  acts = [];
  answer = charged;
  other = await loopback((request, response) => {
    request.resume();
    acts.push({ name: request.url ?? '', key: request.headers['idempotency-key'] as string | undefined });
    answer(response, acts.length);
  });
  const models = await loopback(async (request, response) => {
    const body = JSON.parse(await new Response(request as never).text());
    model(body.messages)(response);
  });
  vi.stubEnv('ALLOWED_HOSTS', [process.env.ALLOWED_HOSTS, new URL(other.url).host].join(','));
  vi.stubEnv('GENERIC_OPENAI_BASE_URL', models.url);
});
afterEach(() => vi.unstubAllEnvs());

const keys = () => [...new Set(acts.map(({ key }) => key))];
const post = (more: object = {}): FlowStepInput => ({
  type: 'api-call',
  name: 'Pay',
  config: { http: { url: `${other.url}/pay`, method: 'POST', body: { order: '{{ _record.name }}' } } },
  ...more,
});

const chat = (message: object) =>
  json(200, {
    id: 'x',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, finish_reason: 'stop', message }],
  });
const call = { id: 'c1', type: 'function', function: { name: 'charge', arguments: '{}' } };
/** A model that calls the tool, and then does this. */
const afterCharge = (then: () => (response: ServerResponse) => unknown) => (messages: Asked) =>
  messages.some(({ role }) => role === 'tool')
    ? then()
    : chat({ role: 'assistant', content: null, tool_calls: [call] });
const settle = (more: object = {}, config: object = {}): FlowStepInput => ({
  type: 'prompt',
  name: 'Settle',
  config: {
    model: 'generic-openai/any',
    userPrompt: 'Settle it',
    tools: {
      runtimeTools: [
        {
          name: 'charge',
          description: 'Charges the card',
          toolType: 'external',
          parametersSchema: { type: 'object', properties: {} },
          config: { url: `${other.url}/charge`, method: 'POST', body: { order: 1 } },
        },
      ],
    },
    ...config,
  },
  ...more,
});

const run = async (steps: FlowStepInput[], more: object = {}) => {
  const batch = await plannedBatch({ steps, maxRetries: 1, ...more });
  await runOnce(batch.scope, batch.message());
  return batch;
};
const lastOf = async (batch: PlannedBatch) => (await batch.results()).at(-1);

test.each<[string, Answer]>([
  ['answers 500', json(500, {})],
  ['answers 503 without a time', json(503, {})],
  ['breaks off', (response) => response.destroy()],
  ['is slower than the step may be', () => {}],
])('a POST whose server %s is sent once, and the step says that nobody knows', async (_how, behaviour) => {
  answer = behaviour;
  const row = await lastOf(await run([post({ timeoutMs: 500 })]));
  expect(acts).toEqual([{ name: '/pay', key: expect.stringMatching(/^call_/) }]);
  expect(row).toMatchObject({ status: 'failed', errorCode: 'OUTCOME_UNKNOWN' });
  expect(row?.errorMessage).toContain('it may have taken effect, so it is not repeated');
});

test.each<[string, Answer]>([
  ['429', json(429, {})],
  ['503 with a time', json(503, {}, { 'retry-after': '1' })],
])('a POST that was refused with %s is sent again, with the same key', async (_how, refused) => {
  answer = (response, attempt) => (attempt === 1 ? refused(response, attempt) : charged(response));
  expect(await lastOf(await run([post()]))).toMatchObject({ status: 'completed' });
  expect(acts).toHaveLength(2);
  expect(keys()).toHaveLength(1);
});

test('with retry.unsafe a POST is repeated with its key; a GET is repeated anyway', async () => {
  answer = (response, attempt) => (attempt === 1 ? response.destroy() : charged(response));
  const retry = { maxAttempts: 3, initialDelayMs: 0, unsafe: true };
  expect(await lastOf(await run([post({ retry })]))).toMatchObject({ status: 'completed' });
  expect(acts).toHaveLength(2);
  expect(keys()).toHaveLength(1);
  acts = [];
  const get = { type: 'api-call', name: 'Read', config: { http: { url: `${other.url}/read` } } };
  expect(await lastOf(await run([get]))).toMatchObject({ status: 'completed' });
  expect(acts).toEqual([
    { name: '/read', key: undefined },
    { name: '/read', key: undefined },
  ]);
});

test('a fallback that asks again does not follow an unknown outcome, a message does', async () => {
  answer = json(500, {});
  const fallbacks = [{ type: 'retry' as const }, { type: 'message' as const, message: 'later' }];
  const { config } = post();
  const row = await lastOf(
    await run([post({ config: { ...config, errorHandling: { onError: 'fallback', fallbacks } } })]),
  );
  expect(row).toMatchObject({ status: 'completed', outputPreview: 'later' });
  expect(acts).toHaveLength(1);
});

test('each item of a map and each record has keys of its own', async () => {
  const each = { type: 'map', name: 'Each', config: { items: '[1, 1, 2]', steps: [post()] } };
  const batch = await plannedBatch({ steps: [each], recordCount: 2 });
  for (const message of batch.messages) await runOnce(batch.scope, message);
  expect(acts).toHaveLength(6);
  expect(keys()).toHaveLength(6);
});

test.each<[string, FlowStepInput['config'], object, () => (response: ServerResponse) => unknown]>([
  ['the step is tried again', {}, { retry: { maxAttempts: 3, initialDelayMs: 0 } }, () => json(500, {})],
  [
    'a fallback asks again',
    { responseFormat: 'json', errorHandling: { onError: 'fallback', fallbacks: [{ type: 'retry' }] } },
    {},
    () => chat({ role: 'assistant', content: 'Settled!' }),
  ],
  [
    'the answer does not fit',
    { responseFormat: { type: 'json', schema: { type: 'object', required: ['ok'] } } },
    {},
    () => chat({ role: 'assistant', content: 'Settled!' }),
  ],
])('a tool that the model has called is not called again when %s', async (_what, config, more, then) => {
  let asked = 0;
  model = afterCharge(() => {
    asked++;
    return then();
  });
  expect(await lastOf(await run([settle(more, config)]))).toMatchObject({ status: 'failed' });
  expect(asked).toBeGreaterThan(1);
  expect(acts).toEqual([{ name: '/charge', key: expect.stringMatching(/^call_/) }]);
});

/** The batch's scope, whose writes from the n-th on end the worker, before they are done or after. */
function dyingAt({ scope }: PlannedBatch, death: number, when: string): Scope {
  let commits = 0;
  const commit = async (writes: readonly Write[]) => {
    const dies = commits++ >= death;
    if (!dies || when === 'after') await scope.table.commit(writes);
    if (dies) throw new Error('The worker died');
  };
  return { ...scope, table: { ...scope.table, commit } };
}

test.each([0, 1, 2, 3, 4, 5].flatMap((death) => ['before', 'after'].map((when) => [when, death] as const)))(
  'a worker that dies %s its write %i leaves each act done once, or a run that says it does not know',
  async (when, death) => {
    let told = '';
    model = (messages) => {
      told = JSON.stringify(messages);
      return afterCharge(() => chat({ role: 'assistant', content: 'Settled' }))(messages);
    };
    const items = {
      type: 'map',
      name: 'Each',
      config: { items: '[1, 2, 3]', concurrency: 2, steps: [post()] },
    };
    const batch = await plannedBatch({ steps: [settle(), post({ name: 'Tell' }), items] });
    await runOnce(dyingAt(batch, death, when), batch.message()).catch(() => {});
    await runOnce(batch.scope, batch.message());
    // Nothing was done twice, so no key was seen twice.
    expect(keys()).toHaveLength(acts.length);
    expect(acts.filter(({ name }) => name === '/charge').length).toBeLessThanOrEqual(1);
    expect(acts.length).toBeLessThanOrEqual(5);
    const end = (await batch.results()).findLast(({ stepName }) => stepName !== 'Pay');
    const isUnknownToModel = told.includes('Unknown result: the run was interrupted while the tool ran');
    if (end?.status === 'completed') expect(acts.length).toBeGreaterThanOrEqual(isUnknownToModel ? 4 : 5);
    else expect(JSON.stringify(await batch.results())).toContain('OUTCOME_UNKNOWN');
  },
);

test('a retry of a batch asks before it repeats what may be done, and then sends the same key', async () => {
  const first = await plannedBatch({ steps: [post()], recordCount: 2 });
  answer = (response, attempt) => json(attempt === 1 ? 500 : 400, {})(response);
  for (const message of first.messages) await runOnce(first.scope, message);
  const [unknown, refused] = acts;
  answer = charged;
  const retry = (body: object) => first.call('POST', `/v1/batch/${first.batch.id}/retry`, { body });
  const asks = { status: 422, body: { details: [{ path: 'unsafe', code: 'OUTCOME_UNKNOWN' }] } };
  expect(await retry({ records: first.records.map(({ id }) => id) })).toMatchObject(asks);
  expect(await retry({ records: [first.records[0]?.id] })).toMatchObject(asks);

  /** As a retry runs the records. */
  const again = async (more: object) => {
    const id = newId('batch');
    const startedAt = new Date().toISOString();
    const batch = { ...first.batch, ...more, id, startedAt, continues: [first.batch.id] };
    await batchStore(first.scope).create(batch);
    for (const { recordId, ...message } of first.messages) {
      const runId = toRecordRunId(batch, recordId ?? '');
      await runOnce(first.scope, { ...message, recordId, batchId: id, runId, takesEarlier: true });
    }
  };
  await again({});
  expect(acts.slice(2)).toEqual([refused]);
  await again({ unsafe: true });
  expect(acts.slice(3)).toContainEqual(unknown);
});

test('a retry of a batch leaves out what may be done, and says how much', async () => {
  const batch = await plannedBatch({ steps: [post()], recordCount: 2 });
  answer = (response, attempt) => json(attempt === 1 ? 500 : 400, {})(response);
  for (const message of batch.messages) await runOnce(batch.scope, message);
  const started = await batch.call('POST', `/v1/batch/${batch.batch.id}/retry`, { body: {} });
  expect(started).toMatchObject({ status: 202, body: { recordCount: 1, outcomeUnknown: 1 } });
});
