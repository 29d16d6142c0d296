import { expect, test, vi } from 'vitest';
import { newId } from '../../../../shared/core/ids.ts';
import { type Dispatch, executeFlowRun } from '../../../../shared/execution/dispatch/execute-flow-run.ts';
import { prepare } from '../../../../shared/execution/dispatch/prepare.ts';
import { DispatchBody } from '../../../../shared/execution/dispatch/request.ts';
import { readCheckpoints } from '../../../../shared/execution/runs/read-checkpoints.ts';
import { template } from '../../../support/flows/flows.ts';
import { modelServer } from '../../../support/models/model-server.ts';
import { eventually } from '../../../support/stack/eventually.ts';
import { principalHere } from '../../../support/stack/principals.ts';
import { countingRuntime, newTenant } from '../../../support/stack/stack.ts';

const ask = { type: 'prompt', name: 'ask', config: { model: 'generic-openai/any', userPrompt: 'Speak' } };

async function begin(steps: object[], changes: Partial<Dispatch> = {}) {
  const tenant = await newTenant();
  const scope = { ...countingRuntime().scopeOf(tenant.tenant), newId };
  const principal = principalHere(tenant);
  const body = DispatchBody.parse({ flow: { name: 'Inline', steps }, options: { flowMode: 'create' } });
  const prepared = await prepare(scope, principal, body);
  const callerSignal = new AbortController().signal;
  const dispatch = {
    prepared,
    body,
    runsAs: principal,
    permissions: [],
    requestId: 'r',
    timeMs: 60_000,
    callerSignal,
  };
  const events = executeFlowRun(scope, { ...dispatch, showsProgress: true, ...changes });
  return { events, checkpoints: (runId: string) => readCheckpoints(scope, { runId, recordId: null }) };
}

test('yields every event once; the last one has the totals', async () => {
  const server = await modelServer({ answer: () => 'one two' });
  vi.stubEnv('GENERIC_OPENAI_BASE_URL', server.url);
  const { events } = await begin([template('x'), ask]);
  const all = await Array.fromAsync(events);
  expect(all.map((event) => (event.type === 'step-event' ? event.event.type : event.type))).toEqual([
    'started',
    'step-started',
    'step-ended',
    'step-started',
    'text_start',
    'text_delta',
    'text_delta',
    'text_complete',
    'step-ended',
    'ended',
  ]);
  expect(all.at(-1)).toMatchObject({
    success: true,
    output: 'one two',
    error: null,
    totals: { inputTokens: 2, outputTokens: 2, completedSteps: 2, failedSteps: 0 },
  });
});

test('the run waits until the consumer takes an event', async () => {
  const server = await modelServer();
  vi.stubEnv('GENERIC_OPENAI_BASE_URL', server.url);
  const { events } = await begin([template('x'), ask]);
  await events.next();
  await events.next();
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(server.requests).toHaveLength(0);
  await Array.fromAsync(events);
  expect(server.requests).toHaveLength(1);
});

test('leaving the loop ends the run, and records its end first', async () => {
  const server = await modelServer({ misbehave: 'hang' });
  vi.stubEnv('GENERIC_OPENAI_BASE_URL', server.url);
  const { events, checkpoints } = await begin([template('x'), ask]);
  let runId = '';
  for await (const event of events) {
    if (event.type === 'started') runId = event.execution.id;
    if (event.type === 'step-started' && event.path === '1') break;
  }
  await eventually(() => expect(server.gone()).toBe(server.requests.length));
  expect((await checkpoints(runId)).at(-1)?.end).toMatchObject({
    status: 'failed',
    error: 'The caller disconnected',
  });
});

test('a run at its time limit ends even if nobody reads its events, which remain readable', async () => {
  const { events, checkpoints } = await begin([template('x'), template('y')], { timeMs: 300 });
  const { value: started } = await events.next();
  const runId = started?.type === 'started' ? started.execution.id : '';
  await eventually(async () =>
    expect((await checkpoints(runId)).at(-1)?.end).toMatchObject({ status: 'failed' }),
  );
  const rest = await Array.fromAsync(events);
  expect(rest.at(-1)).toMatchObject({ type: 'cut-off', error: { code: 'TIMEOUT' } });
});

test('resolved prompts are only included in debug mode', async () => {
  const server = await modelServer();
  vi.stubEnv('GENERIC_OPENAI_BASE_URL', server.url);
  const { events } = await begin([ask]);
  expect(JSON.stringify(await Array.fromAsync(events))).not.toContain('resolvedPrompt');
});
