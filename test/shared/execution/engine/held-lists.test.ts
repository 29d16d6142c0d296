import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { StepError } from '../../../../shared/core/errors/step-error.ts';
import type { FlowStepInput } from '../../../../shared/domain/flows/checking/flow-step.ts';
import { toShownPlace } from '../../../../shared/domain/flows/steps/run-path.ts';
import type { FlowRun, StepResult } from '../../../../shared/execution/engine/engine.ts';
import { type EngineEvent, engineEvents } from '../../../support/flows/engine-events.ts';
import { fakeModel, promptText } from '../../../support/models/model-ports.ts';
import { fakePorts, flowSteps, prompt, renderStep, setVariable, transform } from './engine-world.ts';

async function run(given: FlowStepInput[], world: Partial<Omit<FlowRun, 'steps'>> = {}) {
  const signal = new AbortController().signal;
  const running = { variables: {}, ports: fakePorts(), signal, ...world, steps: flowSteps(...given) };
  const events: EngineEvent[] = [];
  for await (const event of engineEvents(running)) events.push(event);
  const results = events.flatMap((event) => (event.type === 'step_end' ? [event.result] : []));
  return { events, results, last: events.at(-1), steps: running.steps };
}

const held = (type: string) => (config: object) => ({ type, name: type, config: { ...config } });
const [parallel, map, loop] = [held('parallel'), held('map'), held('loop')];
const branch = (name: string, ...steps: FlowStepInput[]) => ({ name, steps });
const wait = (delayMs: number): FlowStepInput => ({ type: 'wait-until', name: 'wait', config: { delayMs } });
const paths = (results: StepResult[]) => results.map(({ path, status }) => `${path} ${status}`);

test('branches see what was set before, and what they set is in the output alone', async () => {
  const left = branch('left', renderStep('{{ a }}!', 'a'), renderStep('{{ a }}!', 'b'));
  const { last } = await run([
    setVariable('a', 'x'),
    parallel({
      branches: [left, branch('right', renderStep('{{ b }}{{ a }}', 'a'))],
      outputVariable: 'both',
    }),
    transform('({ a, both, b: typeof b })'),
  ]);
  expect(last).toMatchObject({
    output: { a: 'x', both: { left: { a: 'x!', b: 'x!!' }, right: { a: 'x' } }, b: 'undefined' },
  });
});

test('branches run at the same time, unless fewer are allowed at once', async () => {
  let [running, most] = [0, 0];
  const model = fakeModel(async () => {
    most = Math.max(most, ++running);
    await sleep(5);
    running--;
    return 'done';
  });
  const branches = ['a', 'b', 'c', 'd'].map((name) => branch(name, prompt('x')));
  await run([parallel({ branches })], { ports: fakePorts({ model }) });
  expect(most).toBe(4);
  most = 0;
  await run([parallel({ branches, concurrency: 2 })], { ports: fakePorts({ model }) });
  expect(most).toBe(2);
});

test('the first failure stops the other branches, whose steps fail, and the step', async () => {
  const model = fakeModel(async ({ signal, messages }) => {
    if (promptText(messages.at(-1)) === 'no') throw new StepError('no', { retryable: true });
    await sleep(60_000, undefined, { signal });
    return 'late';
  });
  const { results, last } = await run(
    [parallel({ branches: [branch('good', prompt('yes'), prompt('never')), branch('bad', prompt('no'))] })],
    { ports: fakePorts({ model }) },
  );
  expect(results.map(({ path, status, error }) => [path, status, error])).toEqual([
    ['0.b1.0', 'failed', 'no'],
    ['0.b0.0', 'failed', 'Stopped: The branch bad failed: no'],
    ['0', 'failed', 'The branch bad failed: no'],
  ]);
  expect(last).toMatchObject({ success: false, error: 'The branch bad failed: no', retryable: true });
});

test('a branch that fails is left out and named if the step goes on', async () => {
  const { last, events } = await run([
    parallel({
      branches: [branch('good', setVariable('x', 1)), branch('bad', transform('throw new Error("no")'))],
      onError: 'continue',
      outputVariable: 'both',
    }),
    transform('({ both, bothErrors })'),
  ]);
  expect(last).toMatchObject({
    output: { both: { good: { x: 1 } }, bothErrors: [{ branch: 'bad', error: expect.any(String) }] },
  });
  expect(events.every((event) => event.type !== 'step_end' || event.isFinal)).toBe(true);
});

test('a map runs its steps for each item, and gives their outputs in the order of the items', async () => {
  const { last, results, steps } = await run([
    map({
      items: '[3, 1, 2]',
      indexAs: 'n',
      steps: [renderStep('{{ n }}: {{ item }}')],
      outputVariable: 'all',
    }),
    transform('({ all, leaks: typeof item + typeof n })'),
  ]);
  expect(last).toMatchObject({ output: { all: ['0: 3', '1: 1', '2: 2'], leaks: 'undefinedundefined' } });
  expect(toShownPlace(steps, results[1]?.path ?? '')).toEqual({ stepPath: 'step-0[1]/step_1', itemIndex: 1 });
});

test('an item that fails is null in the output of a map that goes on', async () => {
  const steps = [transform('if (item === 2) throw new Error("two"); return item * 2', 'double')];
  const each = (more: object) => run([map({ items: '[1, 2, 3]', steps, outputVariable: 'all', ...more })]);
  const going = await each({ onError: 'continue', output: '({ double })' });
  expect(going.last).toMatchObject({ success: true, output: [{ double: 2 }, null, { double: 6 }] });
  const failing = await each({ concurrency: 1 });
  expect(failing.last).toMatchObject({ success: false, error: expect.stringContaining('Item 1 failed: ') });
  expect(paths(failing.results)).toEqual(['0.i0.0 completed', '0.i1.0 failed', '0 failed']);
});

test.each([
  ['7', 'items is no list: the expression gives a value of the type number; change the expression'],
  ['null', 'items is no list: the expression gives null; change the expression'],
  ['Array(1001).fill(0)', 'items has 1001 items; a map takes at most 1000'],
])('a map over %s fails and says why', async (items, error) => {
  expect((await run([map({ items, steps: [renderStep('x')] })])).last).toMatchObject({
    success: false,
    error,
  });
});

test('a thousand items are taken, and none', async () => {
  const each = (items: string) => run([map({ items, steps: [setVariable('x', 1)] })]);
  expect((await each('Array(1000).fill(0)')).results).toHaveLength(1_001);
  expect((await each('[]')).last).toMatchObject({ success: true, output: [] });
});

test('a loop asks its condition before each pass, and what a pass sets stays set', async () => {
  const { last, results } = await run([
    setVariable('sum', 0),
    loop({
      while: '_loop.index < 3',
      maxIterations: 3,
      steps: [transform('sum + _loop.index', 'sum')],
      outputVariable: 'out',
    }),
    transform('({ sum, out, loop: typeof _loop })'),
  ]);
  expect(last).toMatchObject({ success: true, output: { sum: 3, out: 3, loop: 'undefined' } });
  expect(paths(results).slice(1, 4)).toEqual(['1.p0.0 completed', '1.p1.0 completed', '1.p2.0 completed']);
});

test('at its limit a loop fails, unless it is to stop; without a pass its output is null', async () => {
  const again = (more: object) =>
    run([loop({ while: 'true', maxIterations: 2, steps: [renderStep('x')], ...more })]);
  expect((await again({})).last).toMatchObject({
    success: false,
    error: 'The condition still holds after 2 passes; raise maxIterations, or set onLimit to stop',
  });
  expect((await again({ onLimit: 'stop' })).last).toMatchObject({ success: true, output: 'x' });
  expect((await again({ while: 'false' })).last).toMatchObject({ success: true, output: null });
});

test('a loop in a loop has an index of its own', async () => {
  const inner = loop({
    while: '_loop.index < 2',
    maxIterations: 5,
    steps: [renderStep('{{ _loop.index }}')],
  });
  const outer = loop({
    while: '_loop.index < 2',
    maxIterations: 5,
    steps: [inner, renderStep('{{ _loop.index }}')],
  });
  const { results } = await run([outer]);
  const outputs = results.filter(({ path }) => /p\d\.1$/.test(path)).map(({ output }) => output);
  expect(outputs).toEqual(['0', '1']);
});

test('a step that holds steps has the sums of their costs', async () => {
  const usage = { inputTokens: 2, outputTokens: 1 };
  const ports = () => fakePorts({ model: fakeModel(() => 'x', { usage, cost: '0.5' }) });
  const each = map({ items: '[1, 2]', steps: [prompt('a'), prompt('b')] });
  const both = parallel({ branches: [branch('left', each), branch('right', prompt('c'))] });
  const { results } = await run([both], { ports: ports() });
  const sums = results.filter(({ isSum }) => isSum);
  expect(
    sums.map(({ path, promptTokens, completionTokens, estimatedCost }) => [
      path,
      promptTokens,
      completionTokens,
      estimatedCost,
    ]),
  ).toEqual([
    ['0.b0.0', 8, 4, '2'],
    ['0', 10, 5, '2.5'],
  ]);
});

test('branches and items that wait free their place, and the run goes on with the rest before it is suspended', async () => {
  const each = map({
    items: '[1, 2, 3]',
    concurrency: 1,
    steps: [{ ...wait(3_600_000), when: 'item === 1' }, renderStep('{{ item }}')],
  });
  const { events, results } = await run([
    parallel({ branches: [branch('left', each), branch('right', wait(7_200_000))] }),
    renderStep('after'),
  ]);
  const waits = events.flatMap((event) => (event.type === 'suspend' ? [event.wait.path] : []));
  expect(waits.sort()).toEqual(['0.b0.0.i0.0', '0.b1.0']);
  expect(paths(results).sort()).toEqual([
    '0.b0.0.i1.0 skipped',
    '0.b0.0.i1.1 completed',
    '0.b0.0.i2.0 skipped',
    '0.b0.0.i2.1 completed',
  ]);
});

test('a resumed map has the items with which it began', async () => {
  const each = map({ items: 'list', steps: [wait(60_000), renderStep('{{ item }}')] });
  const kept = new Map<string, unknown>();
  const onKept = (path: string, value: unknown) => void kept.set(path, value);
  const first = await run([each], { variables: { list: ['a', 'b'] }, onKept });
  const waiting = first.events.flatMap((event) => (event.type === 'suspend' ? [event.wait] : []));
  const late = new Date(Date.parse(waiting[0]?.since ?? '') + 120_000);
  const ports = fakePorts({ now: () => late });
  const { last } = await run([each], { variables: { list: ['c'] }, waiting, kept, ports });
  expect(last).toMatchObject({ success: true, output: ['a', 'b'] });
});

test('aborting a run leaves no step without an end that is told', async () => {
  const stopping = new AbortController();
  let asked = 0;
  const model = fakeModel(async ({ signal }) => {
    if (++asked === 2) setImmediate(() => stopping.abort(new Error('out of time')));
    await sleep(60_000, undefined, { signal });
    return 'late';
  });
  const interrupted: string[] = [];
  const running = run([map({ items: '[1, 2]', steps: [prompt('x')] })], {
    ports: fakePorts({ model }),
    signal: stopping.signal,
    onInterrupted: ({ path }) => void interrupted.push(path),
  });
  await expect(running).rejects.toThrow('out of time');
  expect(interrupted.sort()).toEqual(['0', '0.i0.0', '0.i1.0']);
});

const numbers = (count: number) => `Array.from({ length: ${count} }, (_, n) => n)`;
const mapOf = (items: string, steps: FlowStepInput[], more: object = {}) => map({ items, steps, ...more });

test('a run with too many steps ends and says so, whatever its steps do after failures', async () => {
  const inner = mapOf(numbers(10), [setVariable('a', 'x')], { onError: 'continue' });
  const outer = mapOf(numbers(10), [inner], { onError: 'continue' });
  const { last, results } = await run([outer], { stepsMax: 50 });
  expect(last).toMatchObject({ success: false });
  expect(last).toMatchObject({ error: expect.stringContaining('more than 50 steps') });
  expect(results.length).toBeLessThanOrEqual(50);
  expect((await run([outer], { stepsMax: 111 })).last).toMatchObject({ success: true });
});

test('steps that an earlier attempt has done count', async () => {
  const steps = [mapOf(numbers(10), [setVariable('a', 'x')]), setVariable('b', 'y')];
  const { results } = await run(steps);
  const done = new Map(results.filter(({ path }) => path !== '1').map((result) => [result.path, result]));
  expect((await run(steps, { done, stepsMax: 12 })).last).toMatchObject({ success: true });
  expect((await run(steps, { done, stepsMax: 11 })).last).toMatchObject({ success: false });
});

test('lists in lists run 50 at once all together, and none waits for another for ever', async () => {
  let [running, most] = [0, 0];
  const model = fakeModel(async () => {
    most = Math.max(most, ++running);
    await sleep(2);
    running--;
    return 'done';
  });
  const level = (steps: FlowStepInput[]) => [mapOf(numbers(6), steps, { concurrency: 20 })];
  const { last } = await run(level(level(level([prompt('x')]))), { ports: fakePorts({ model }) });
  expect(last).toMatchObject({ success: true });
  expect(most).toBeGreaterThan(6);
  expect(most).toBeLessThanOrEqual(51);
});

test('other work goes on while a run has nothing to wait for', async () => {
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  await run([mapOf(numbers(1_000), [mapOf(numbers(20), [setVariable('a', 'x')])])]);
  clearInterval(timer);
  expect(turns).toBeGreaterThan(5);
});
