import { afterAll, expect, test, vi } from 'vitest';
import { startModelStandIn } from '../../../examples/model-stand-in.ts';
import { handler } from '../../../functions/dispatch/run.ts';
import { StreamEvent } from '../../../shared/protocols/run-events/stream-event.ts';
import { expectStatus, publishedFlow, template } from '../../support/flows/flows.ts';
import { everyStepResult } from '../../support/flows/step-results.ts';
import { eventually } from '../../support/stack/eventually.ts';
import { allEvents, openEvents, type ReceivedEvent, readEvents } from '../../support/stack/sse.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';
import { invokeStreaming, readStreamedAnswer } from '../../support/stack/streamed.ts';

const prompt = (model = 'any', userPrompt = 'Say something, please, and take your time') => ({
  type: 'prompt',
  name: 'ask',
  config: { model: `generic-openai/${model}`, userPrompt },
});
const inline = (...steps: object[]) => ({ flow: { name: 'Inline', steps } });
const soon = { timeout: 20_000, interval: 10 };
const typesOf = (events: ReceivedEvent[]) => events.map(({ data }) => data.type);

// Lambdas of this process ask a model of this process.
const models = await startModelStandIn();
process.env.GENERIC_OPENAI_BASE_URL = models.url;
afterAll(() => models.close());

const invoke = (tenant: Tenant, body: object, remainingMs?: number) =>
  invokeStreaming(handler, tenant, body, remainingMs);

test('events use the unified vocabulary, sequence numbers have no gaps, and each frame matches its data', async () => {
  const tenant = await newTenant();
  const skipped = { ...template('never'), when: 'false' };
  const branch = {
    type: 'conditional',
    name: 'if',
    config: { condition: 'true', trueSteps: [template('inside', 'x')] },
  };
  const events = await allEvents(tenant.token, '/v1/dispatch', inline(branch, skipped, prompt()));
  for (const [index, { name, id, data }] of events.entries()) {
    expect(StreamEvent.safeParse(data).error).toBeUndefined();
    expect({ name, id }).toEqual({ name: data.type, id: String(index) });
    expect(data).toMatchObject({ seq: index, executionId: events[0]?.data.executionId });
  }
  const types = typesOf(events);
  expect(types.filter((type) => type !== 'text_delta')).toEqual([
    'execution_start',
    'step_start',
    'step_complete',
    'step_start',
    'step_complete',
    'step_skip',
    'step_start',
    'text_start',
    'text_complete',
    'step_complete',
    'execution_complete',
  ]);
  expect(events[3]?.data).toMatchObject({ index: 0, path: '0.true.0', outputVariable: 'x', totalSteps: 3 });
  const deltas = events.flatMap(({ data }) => (data.type === 'text_delta' ? [data.delta] : []));
  const complete = events.find(({ data }) => data.type === 'text_complete');
  expect(deltas.join('')).toBe(complete?.data.text);
  expect(events.at(-1)?.data).toMatchObject({
    success: true,
    finalOutput: complete?.data.text,
    totalSteps: 3,
    successfulSteps: 3,
    failedSteps: 0,
    totalTokens: { input: expect.any(Number), output: expect.any(Number) },
    // The catalog has no price of the model.
    totalCost: null,
  });
});

test('the first text arrives before the model sends its last token', async () => {
  const tenant = await newTenant();
  const { events, headers } = await openEvents(tenant.token, '/v1/dispatch', inline(prompt('trickling')));
  expect(headers.get('content-type')).toBe('text/event-stream');
  const texts: { at: number; sentAt: number }[] = [];
  for await (const { at, data } of events) {
    if (data.type === 'text_delta') texts.push({ at, sentAt: Number(data.delta) });
  }
  expect(texts.length).toBeGreaterThan(3);
  expect(texts[0]?.at).toBeLessThan(texts.at(-1)?.sentAt ?? 0);
});

test('a failing step emits an event, and the run completes without success', async () => {
  const tenant = await newTenant();
  const events = await allEvents(tenant.token, '/v1/dispatch', inline(prompt('refusing')));
  expect(events.at(-2)?.data).toMatchObject({
    type: 'step_complete',
    success: false,
    error: expect.stringContaining('The prompt was refused'),
  });
  expect(events.at(-1)?.data).toMatchObject({ type: 'execution_complete', success: false, failedSteps: 1 });
});

test('send-stream emits a variable in the middle of the run', async () => {
  const tenant = await newTenant();
  const set = { type: 'set-variable', name: 's', config: { variableName: 'v', value: { a: [1] } } };
  const send = (streamType?: string) => ({
    type: 'send-stream',
    name: 'send',
    config: { sourceVariable: 'v.a', ...(streamType && { streamType }) },
  });
  const events = await allEvents(
    tenant.token,
    '/v1/dispatch',
    inline(set, send(), send('json'), send('artifact')),
  );
  const shown = events.map(({ data }) => data).filter(({ type }) => /^(text|custom)/.test(type));
  expect(shown).toMatchObject([
    { type: 'text_start', id: 'text_1' },
    { type: 'text_delta', delta: '[1]' },
    { type: 'text_complete', text: '[1]' },
    { type: 'custom', name: 'json', value: [1] },
    { type: 'custom', name: 'artifact', value: [1] },
  ]);
});

test('an error before the run starts has its own status and is JSON', async () => {
  const tenant = await newTenant();
  const { status, headers } = await openEvents(tenant.token, '/v1/dispatch', { flow: {} });
  expect(status).toBe(422);
  expect(headers.get('content-type')).toBe('application/json');
});

/** The step results of a flow, once there are some. */
const someResults = (tenant: Tenant, { id }: { id: string }) =>
  eventually(async () => {
    const rows = await everyStepResult(tenant, `/v1/flows/${id}/step-results`);
    expect(rows).not.toEqual([]);
    return rows;
  });

test.each([{ streamResponse: true }, { streamResponse: false }])(
  'a client that disconnects stops the run and its model call (%j)',
  async (options) => {
    const tenant = await newTenant();
    const flow = await publishedFlow(tenant, [template('first'), prompt('any'), template('never')]);
    models.options.misbehave = 'hang';
    const asked = models.requests.length;
    const before = models.gone();
    const { stream, done } = invoke(tenant, { flow: { id: flow.id }, options });
    await vi.waitUntil(() => models.requests.length > asked, soon);
    stream.destroy();
    await expect(done).rejects.toThrow();
    await vi.waitUntil(() => models.gone() > before, soon);
    delete models.options.misbehave;
    expect(await someResults(tenant, flow)).toMatchObject([
      { stepName: 'ask', status: 'failed', errorMessage: 'The caller disconnected' },
      { stepName: 'first', status: 'completed' },
    ]);
  },
);

test('a response that breaks off counts as a call without a known price', async () => {
  const tenant = await newTenant();
  models.options.pieceDelayMs = 50;
  const { stream, done } = invoke(tenant, inline(prompt()));
  for await (const piece of stream) if (String(piece).includes('"text_delta"')) break;
  stream.destroy();
  await expect(done).rejects.toThrow();
  delete models.options.pieceDelayMs;
  const usage = async () => (await expectStatus(200, tenant.call('GET', '/v1/model-usage'))).summary;
  await eventually(async () =>
    expect(await usage()).toMatchObject({ totalRequests: 1, totalTokens: 0, requestsWithoutPrice: 1 }),
  );
});

test('over HTTP, a client that disconnects also stops the run', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, [template('first'), prompt('hanging')]);
  const { events, hangUp } = await openEvents(tenant.token, '/v1/dispatch', { flow: { id: flow.id } });
  for await (const { data } of events) if (data.type === 'step_start' && data.index === 1) break;
  hangUp();
  expect(await someResults(tenant, flow)).toMatchObject([{ status: 'failed' }, { status: 'completed' }]);
});

test('a run that reaches its time limit reports it, as an event and as JSON', async () => {
  const tenant = await newTenant();
  models.options.misbehave = 'hang';
  const words = 'The run exceeded its time limit of 1 s';
  const streamed = invoke(tenant, inline(template('first'), prompt()), 4_000);
  const { body } = await readStreamedAnswer(streamed.stream);
  const events = await Array.fromAsync(readEvents(new Blob([body]).stream()));
  expect(events.at(-1)?.data).toMatchObject({
    type: 'execution_error',
    error: { code: 'TIMEOUT', message: words },
  });
  const asked = { ...inline(template('first'), prompt()), options: { streamResponse: false } };
  const answer = JSON.parse((await readStreamedAnswer(invoke(tenant, asked, 4_000).stream)).body);
  expect(answer).toMatchObject({
    success: false,
    status: 'failed',
    error: words,
    steps: [{ output: 'first' }],
  });
  delete models.options.misbehave;
});

test('an error before the response starts sets the HTTP status of the stream', async () => {
  const tenant = await newTenant();
  const { stream, done } = invoke(tenant, {});
  const { head, body } = await readStreamedAnswer(stream);
  await done;
  expect(head.statusCode).toBe(400);
  expect(JSON.parse(body).error).toBe('Validation error');
});

const showsMuch = (times: number) => [
  { type: 'transform-data', name: 'big', config: { script: '"x".repeat(1_000_000)', outputVariable: 'big' } },
  ...Array.from({ length: times }, () => ({
    type: 'send-stream',
    name: 'show',
    config: { sourceVariable: 'big', outputVariable: 'shown' },
  })),
];
const aWhile = () => new Promise((resolve) => setTimeout(resolve, 500));

test('a run pauses while the client does not read, and continues when it does', async () => {
  const tenant = await newTenant();
  const asked = models.requests.length;
  const { stream } = invoke(tenant, inline(...showsMuch(3), prompt()));
  await aWhile();
  expect(models.requests.length).toBe(asked);
  expect(stream.readableLength).toBeLessThan(2_500_000);
  const events = await Array.fromAsync(
    readEvents(new Blob([(await readStreamedAnswer(stream)).body]).stream()),
  );
  expect(models.requests.length).toBe(asked + 1);
  expect(events.map(({ id }) => id)).toEqual(events.map((_, index) => String(index)));
  expect(events.at(-1)?.data).toMatchObject({
    type: 'execution_complete',
    success: true,
    successfulSteps: 5,
  });
});

test('a client that never reads cannot hold a run beyond its time limit', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, showsMuch(5));
  const { stream } = invoke(tenant, { flow: { id: flow.id } }, 4_000);
  // Nothing is written while it waits, since nothing reached outside.
  await someResults(tenant, flow);
  const events = await Array.fromAsync(
    readEvents(new Blob([(await readStreamedAnswer(stream)).body]).stream()),
  );
  expect(events.at(-1)?.data).toMatchObject({ type: 'execution_error', error: { code: 'TIMEOUT' } });
  expect(events.filter(({ data }) => data.type === 'step_complete').length).toBeLessThan(6);
});

test('a client that disconnects while the run waits for it ends the run', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, showsMuch(5));
  const { stream, done } = invoke(tenant, { flow: { id: flow.id } });
  await aWhile();
  stream.destroy();
  await expect(done).rejects.toThrow();
  expect((await someResults(tenant, flow)).length).toBeLessThan(6);
});

test('over HTTP, a run also waits for a client that does not read, while other requests are served', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, showsMuch(30));
  const opened = await openEvents(tenant.token, '/v1/dispatch', { flow: { id: flow.id } });
  const path = `/v1/flows/${flow.id}/step-results`;
  await aWhile();
  // What the sockets hold is sent; then nothing changes until somebody reads.
  let rows = await everyStepResult(tenant, path);
  for (let before = -1; before !== rows.length; rows = await everyStepResult(tenant, path)) {
    before = rows.length;
    await aWhile();
  }
  expect(rows.length).toBeLessThan(31);
  const last = (await Array.fromAsync(opened.events)).at(-1);
  expect(last?.data).toMatchObject({ type: 'execution_complete', success: true });
  expect((await expectStatus(200, tenant.call('GET', `${path}?limit=1&offset=30`))).data).toHaveLength(1);
});

test('a step that took several attempts tells each, in its event and in its result', async () => {
  const tenant = await newTenant();
  const errorHandling = {
    onError: 'fallback',
    fallbacks: [
      { type: 'model', model: 'generic-openai/refusing' },
      { type: 'message', message: 'Sorry', delay: 20 },
    ],
  };
  const config = { model: 'generic-openai/broken', userPrompt: 'Hi', errorHandling };
  const flow = await publishedFlow(tenant, [{ type: 'prompt', name: 'ask', config }]);
  const opened = await openEvents(tenant.token, '/v1/dispatch', { flow: { id: flow.id } });
  const events = await Array.fromAsync(opened.events);
  const attempts = [
    { type: 'initial', status: 'failed', error: expect.stringContaining('broke down') },
    { type: 'model', model: 'generic-openai/refusing', status: 'failed' },
    { type: 'message', delayMs: 20, status: 'completed' },
  ];
  const complete = events.find(({ data }) => data.type === 'step_complete')?.data;
  expect(complete).toMatchObject({ success: true, result: 'Sorry', attempts });
  const rows = await everyStepResult(tenant, `/v1/flows/${flow.id}/step-results`);
  expect(rows).toMatchObject([{ retryCount: 1, attempts: complete?.attempts }]);
});
