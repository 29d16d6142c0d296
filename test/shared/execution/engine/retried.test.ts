import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { failureOfStatus, RunMustWait, StepError } from '../../../../shared/core/errors/step-error.ts';
import { toTracedRun } from '../../../../shared/core/trace-context.ts';
import type { FlowStepInput } from '../../../../shared/domain/flows/checking/flow-step.ts';
import { computeRetryPause } from '../../../../shared/domain/flows/steps/retry-policy.ts';
import type { FlowRun } from '../../../../shared/execution/engine/engine.ts';
import { type EngineEvent, engineEvents } from '../../../support/flows/engine-events.ts';
import { fakeModel } from '../../../support/models/model-ports.ts';
import { fakePorts, flowSteps, prompt, renderStep, transform } from './engine-world.ts';

async function run(given: FlowStepInput[], world: Partial<Omit<FlowRun, 'steps'>> = {}) {
  const signal = new AbortController().signal;
  const events: EngineEvent[] = [];
  const running = { variables: {}, ports: fakePorts(), signal, ...world, steps: flowSteps(...given) };
  for await (const event of engineEvents(running)) events.push(event);
  const results = events.flatMap((event) => (event.type === 'step_end' ? [event.result] : []));
  return { results, last: events.at(-1) };
}

const busy = () => new StepError('busy', { retryable: true, kind: 'rate_limit' });
const now = { initialDelayMs: 0 };

/** A model that fails so many times, and then answers. */
function failing(times: number, error: () => Error = busy) {
  let calls = 0;
  const model = fakeModel(() => {
    if (++calls <= times) throw error();
    return 'done';
  });
  return { ports: fakePorts({ model }), calls: () => calls };
}

test('a step is tried again as often as its policy says', async () => {
  const enough = failing(2);
  const { last, results } = await run([{ ...prompt('x'), retry: now }], enough);
  expect(last).toMatchObject({ success: true, output: 'done' });
  expect(results[0]).toMatchObject({ retryCount: 2 });
  expect(results[0]?.attempts?.map(({ type, status }) => [type, status])).toEqual([
    ['initial', 'failed'],
    ['retry', 'failed'],
    ['retry', 'completed'],
  ]);
  const tooFew = failing(3);
  const failed = await run([{ ...prompt('x'), retry: now }], tooFew);
  // The run is not tried again as a whole.
  expect(failed.last).toMatchObject({ success: false, error: 'busy', retryable: false });
  expect(tooFew.calls()).toBe(3);
});

test('a policy decides after which failures', async () => {
  const tries = async (on: string[] | undefined, error: () => Error) => {
    const world = failing(9, error);
    const retry = { ...now, maxAttempts: 2, ...(on && { on: on as ['any'] }) };
    await run([{ ...prompt('x'), retry }], world);
    return world.calls();
  };
  const bad = () => new StepError('bad');
  expect(await tries(undefined, busy)).toBe(2);
  expect(await tries(undefined, bad)).toBe(1);
  expect(await tries(['any'], bad)).toBe(2);
  expect(await tries(['server_error'], busy)).toBe(1);
  expect(await tries(['any'], () => new StepError('spent', { code: 'BUDGET_EXCEEDED' }))).toBe(1);
});

test('fallbacks of the type retry do not apply, and the others follow the last attempt', async () => {
  const fallbacks = [{ type: 'retry' as const }, { type: 'message' as const, message: 'instead' }];
  const errorHandling = { onError: 'fallback', fallbacks };
  const world = failing(9);
  const { last, results } = await run(
    [{ ...prompt('x', { errorHandling }), retry: { ...now, maxAttempts: 2 } }],
    world,
  );
  expect(last).toMatchObject({ success: true, output: 'instead' });
  expect(world.calls()).toBe(2);
  expect(results[0]?.attempts?.map(({ type }) => type)).toEqual(['initial', 'retry', 'message']);
  const going = await run([
    {
      ...transform('throw 1'),
      retry: { ...now, on: ['any'] },
      config: { script: 'throw 1', errorHandling: { onError: 'continue' } },
    },
  ]);
  expect(going.last).toMatchObject({ success: true });
});

test('a long pause suspends the run, which goes on with the next attempt', async () => {
  const world = failing(1);
  const steps = [
    { ...prompt('x'), retry: { initialDelayMs: 60_000, jitter: 'none' as const } },
    renderStep('after'),
  ];
  const kept = new Map<string, unknown>();
  const onKept = (path: string, value: unknown) => void kept.set(path, structuredClone(value));
  const first = await run(steps, { ...world, onKept });
  if (first.last?.type !== 'suspend') throw new Error('It did not wait');
  const { wait, until } = first.last;
  const early = await run(steps, { ...world, onKept, kept, waiting: [wait] });
  expect(early.last).toMatchObject({ type: 'suspend', until });
  expect(world.calls()).toBe(1);
  const ports = { ...world.ports, now: () => until };
  const { last, results } = await run(steps, { ports, onKept, kept, waiting: [wait] });
  expect(last).toMatchObject({ success: true, output: 'after' });
  expect(results[0]).toMatchObject({ retryCount: 1, output: 'done' });
  expect(results[0]?.attempts).toMatchObject([{ type: 'initial' }, { type: 'retry', delayMs: 60_000 }]);
});

test('a pause is as long as the other side asks for, within the policy', async () => {
  const asking = (header: string) => () => new StepError('busy', failureOfStatus(429, header));
  const pauseAfter = async (header: string, retry = {}) => {
    const { last } = await run([{ ...prompt('x'), retry: { ...now, ...retry } }], {
      ...failing(1, asking(header)),
      onKept: () => {},
    });
    return last?.type === 'suspend' ? last.until.getTime() - fakePorts().now().getTime() : 0;
  };
  const near = (ms: number) => [ms - 5_000, ms + 5_000] as const;
  const between = (ms: number, [least, most]: readonly [number, number]) => ms > least && ms < most;
  expect(between(await pauseAfter('30'), near(30_000))).toBe(true);
  const date = new Date(Date.now() + 40_000).toUTCString();
  expect(between(await pauseAfter(date), near(40_000))).toBe(true);
  expect(between(await pauseAfter('3600'), near(60_000))).toBe(true);
  expect(between(await pauseAfter('3600', { maxDelayMs: 3_600_000 }), near(3_600_000))).toBe(true);
  expect(await pauseAfter('soon')).toBe(0);
  expect(computeRetryPause({ initialDelayMs: 100, jitter: 'none' }, 1, 0.5, 20)).toBe(100);
});

test('a time limit ends an attempt, and what it holds', async () => {
  let calls = 0;
  const model = fakeModel(async ({ signal }) => {
    if (++calls === 1) await sleep(60_000, undefined, { signal });
    return 'done';
  });
  const ports = fakePorts({ model });
  const slow = { ...prompt('x'), timeoutMs: 100 };
  expect((await run([slow], { ports })).last).toMatchObject({
    success: false,
    error: 'The step did not end within its time limit of 100 ms',
  });
  calls = 0;
  expect((await run([{ ...slow, retry: now }], { ports })).last).toMatchObject({ success: true });
  calls = 0;
  const each = { type: 'map', name: 'each', config: { items: '[1]', steps: [prompt('x')] }, timeoutMs: 100 };
  const { results, last } = await run([each], { ports });
  expect(last).toMatchObject({
    success: false,
    error: 'The step did not end within its time limit of 100 ms',
  });
  expect(results.map(({ path, status }) => `${path} ${status}`)).toEqual(['0.i0.0 failed', '0 failed']);
});

test.each(['map', 'parallel'])(
  'after its time limit, a %s fails, also if it goes on after failures',
  async (type) => {
    const model = fakeModel(({ signal }) => sleep(60_000, 'late', { signal }));
    const steps = [prompt('x')];
    const config =
      type === 'map' ? { items: '[1]', steps } : { branches: ['a', 'b'].map((name) => ({ name, steps })) };
    const step = { type, name: type, config: { ...config, onError: 'continue' }, timeoutMs: 100 };
    const { last } = await run([step], { ports: fakePorts({ model }) });
    expect(last).toMatchObject({
      success: false,
      error: 'The step did not end within its time limit of 100 ms',
    });
  },
);

test('pauses grow to their limit, and jitter takes a part', () => {
  const policy = { initialDelayMs: 100, factor: 3, maxDelayMs: 1_000, jitter: 'none' as const };
  expect([1, 2, 3, 4].map((attempt) => computeRetryPause(policy, attempt, 0.5))).toEqual([
    100, 300, 900, 1_000,
  ]);
  expect(computeRetryPause({ ...policy, jitter: 'full' }, 2, 0.5)).toBe(150);
});

test('the model’s client does not try again by itself where the step does', async () => {
  const asked: unknown[] = [];
  const model = fakeModel((request) => {
    asked.push(request.wait?.triesAgain);
    return 'done';
  });
  const trace = toTracedRun('exec_01k9m4v7d3x8qz5w2r6t0y1hbn', undefined);
  await run([{ ...prompt('x'), retry: now }, prompt('y')], { ports: fakePorts({ model }), trace });
  expect(asked).toEqual([true, false]);
});

test('attempts are kept while one of them waits', async () => {
  let calls = 0;
  const until = new Date('2026-01-02T00:00:00.000Z');
  const model = fakeModel(() => {
    if (++calls === 1) throw busy();
    if (calls === 2) throw new RunMustWait(until, 'limited');
    return 'done';
  });
  const trace = toTracedRun('exec_01k9m4v7d3x8qz5w2r6t0y1hbn', undefined);
  const kept = new Map<string, unknown>();
  const onKept = (path: string, value: unknown) => void kept.set(path, structuredClone(value));
  const steps = [{ ...prompt('x'), retry: now }];
  const first = await run(steps, { ports: fakePorts({ model }), trace, onKept });
  if (first.last?.type !== 'suspend') throw new Error('It did not wait');
  const ports = fakePorts({ model, now: () => until });
  const { results } = await run(steps, { ports, trace, onKept, kept, waiting: [first.last.wait] });
  expect(results[0]).toMatchObject({ output: 'done', retryCount: 1 });
  expect(results[0]?.attempts?.map(({ type, status }) => `${type} ${status}`)).toEqual([
    'initial failed',
    'retry completed',
  ]);
});
