import { expect, test } from 'vitest';
import { emptyFlowRun, withFlowEvents } from '../../../../console/src/run/flow-run.ts';
import { itemRows } from '../../../../console/src/run/item-rows.ts';
import type { RunEvent } from '../../../../console/src/run/parts/events.ts';

const ran = (stepPath: string, more: object = {}) => ({
  stepPath,
  status: 'completed',
  durationMs: 5,
  ...more,
});

test('an item has the output of its last step, the cost and time of its own steps, and the worst status', () => {
  const steps = [
    ran('before'),
    ran('each[0]/ask', { output: 'A', cost: '0.5' }),
    ran('each[1]/again[0]/deep', { status: 'failed', cost: '0.25' }),
    ran('each[1]/again', { cost: '0.25' }),
    ran('each[0]/end', { output: 'B', cost: '0.25' }),
    ran('each[2]/ask', { status: 'running', durationMs: undefined }),
    ran('each', { output: [] }),
    ran('other[0]/ask'),
  ];
  expect(itemRows(steps, 'each')).toEqual([
    { path: 'each[0]', status: 'completed', output: 'B', cost: 0.75, durationMs: 10 },
    { path: 'each[1]', status: 'failed', output: undefined, cost: 0.25, durationMs: 5 },
    { path: 'each[2]', status: 'running', output: undefined, cost: undefined, durationMs: 0 },
  ]);
});

test('a map inside of another has the items of each time, or of one of them', () => {
  const steps = [ran('each[0]/inner[0]/a'), ran('each[1]/inner[0]/a'), ran('each[1]/inner[1]/a')];
  expect(itemRows(steps, 'inner').map(({ path }) => path)).toEqual([
    'each[0]/inner[0]',
    'each[1]/inner[0]',
    'each[1]/inner[1]',
  ]);
  expect(itemRows(steps, 'inner', 'each[1]/inner')).toHaveLength(2);
});

test('a step of a run that runs once for each item is followed for each of them', () => {
  const place = (item: number) => ({
    id: 'ask',
    name: 'Ask',
    index: 0,
    path: `0.i${item}.0`,
    stepPath: `each[${item}]/ask`,
    itemIndex: item,
  });
  const delta = (item: number, text: string) => ({
    type: 'text_delta',
    id: `text_${item}`,
    stepId: 'ask',
    stepPath: place(item).stepPath,
    delta: text,
  });
  const events = [
    { type: 'step_start', ...place(0), stepType: 'prompt', totalSteps: 1 },
    { type: 'step_start', ...place(1), stepType: 'prompt', totalSteps: 1 },
    delta(1, 'one'),
    delta(0, 'zero'),
    { type: 'step_complete', ...place(1), success: true, result: 'one', durationMs: 1 },
  ].map((event, seq) => ({ ...event, executionId: 'exec_1', seq }) as unknown as RunEvent);
  const { steps } = withFlowEvents(emptyFlowRun, events);
  expect(steps.map(({ stepPath, status }) => [stepPath, status])).toEqual([
    ['each[0]/ask', 'running'],
    ['each[1]/ask', 'completed'],
  ]);
  expect(steps.map(({ parts }) => parts)).toMatchObject([[{ text: 'zero' }], [{ text: 'one' }]]);
});
