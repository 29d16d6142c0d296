import { expect, test } from 'vitest';
import { StepError } from '../../../../shared/core/errors/step-error.ts';
import type { FlowStepInput } from '../../../../shared/domain/flows/checking/flow-step.ts';
import type { ModelCall } from '../../../../shared/domain/model-usage/model-calls.ts';
import type { StepResult } from '../../../../shared/execution/engine/engine.ts';
import { attemptRun } from '../../../../shared/execution/runs/run-attempt.ts';
import type { RunRecorder } from '../../../../shared/execution/runs/run-recorder.ts';
import { fakeModel, promptText } from '../../../support/models/model-ports.ts';
import { fakePorts, flowSteps, prompt } from '../engine/engine-world.ts';

/** Runs steps with a model that fails at the first `flaky`, and says what was recorded. */
async function recorded(...given: FlowStepInput[]) {
  const results: StepResult[] = [];
  const spent: ModelCall[] = [];
  const asked: string[] = [];
  const nothing = async () => {};
  const recorder: RunRecorder = {
    add: async (result) => void results.push(result),
    spend: (calls) => void spent.push(...calls),
    interrupt: () => {},
    flush: nothing,
    flushSoon: () => {},
    keep: () => {},
    mark: async () => {},
    suspend: nothing,
    finish: nothing,
  };
  const model = fakeModel(({ messages }) => {
    const text = promptText(messages.at(-1));
    asked.push(text);
    if (text === 'flaky' && asked.filter((each) => each === text).length === 1) {
      throw new StepError('busy', { retryable: true, kind: 'rate_limit' });
    }
    return 'done';
  });
  const world = { variables: {}, ports: fakePorts({ model }), signal: new AbortController().signal };
  const outcome = await attemptRun({ ...world, steps: flowSteps(...given), done: new Map(), recorder });
  const paths = results.map(({ path, status }) => `${path} ${status}`);
  return { outcome, paths, results, asked, spent };
}

const again = { maxAttempts: 2, initialDelayMs: 0, on: ['any' as const] };
const retriedMap = (...steps: FlowStepInput[]): FlowStepInput => ({
  type: 'map',
  name: 'Each',
  retry: again,
  config: { items: '[1]', steps, outputVariable: 'all' },
});

test('of a step that was tried again within another, the last result is recorded', async () => {
  const { outcome, paths, asked } = await recorded(retriedMap(prompt('good'), prompt('flaky')));
  expect(outcome).toMatchObject({ end: { success: true, output: ['done'] } });
  expect(asked).toEqual(['good', 'flaky', 'flaky']);
  expect(paths).toEqual(['0.i0.0 completed', '0.i0.1 completed', '0 completed']);
});

test('it is tried again also within a step that goes on after failures, which pays for each result once', async () => {
  const inner = retriedMap(prompt('good'), prompt('flaky'));
  const config = { items: '[1]', onError: 'continue', steps: [inner], outputVariable: 'outer' };
  const { outcome, paths, results, asked } = await recorded({ type: 'map', name: 'Outer', config });
  expect(outcome).toMatchObject({ end: { success: true, output: [['done']] } });
  expect(asked).toEqual(['good', 'flaky', 'flaky']);
  expect(paths).toEqual([
    '0.i0.0.i0.0 completed',
    '0.i0.0.i0.1 completed',
    '0.i0.0 completed',
    '0 completed',
  ]);
  const [good, flaky, ...around] = results.map(({ promptTokens = 0 }) => promptTokens) as number[];
  const sum = (good ?? 0) + (flaky ?? 0);
  expect(good).toBeGreaterThan(0);
  expect(around).toEqual([sum, sum]);
});

test('what fails to the end is recorded before the step around it', async () => {
  const failing = { type: 'transform-data', name: 'Fail', config: { script: 'throw new Error("no")' } };
  const inner = retriedMap(failing);
  const config = { items: '[1]', onError: 'continue', steps: [inner], outputVariable: 'outer' };
  const { outcome, paths } = await recorded({ type: 'map', name: 'Outer', config }, prompt('good'));
  expect(outcome).toMatchObject({ end: { success: true } });
  expect(paths).toEqual(['0.i0.0.i0.0 failed', '0.i0.0 failed', '0 completed', '1 completed']);
});
