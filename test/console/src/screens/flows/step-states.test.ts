import { expect, test } from 'vitest';
import { stepStates } from '../../../../../console/src/screens/flows/data/step-states.ts';

type Span = Parameters<typeof stepStates>[0][number];

const span = (
  spanId: string,
  parentSpanId: string | null,
  kind: Span['kind'],
  more: Partial<Span>,
): Span => ({
  spanId,
  parentSpanId,
  kind,
  name: spanId,
  status: 'ok',
  attributes: {},
  events: [],
  startedAt: '2026-11-26T08:00:00.000Z',
  endedAt: '2026-11-26T08:00:01.000Z',
  durationMs: 1_000,
  ...more,
});
const stepOf = (id: string) => ({ attributes: { 'flow.step.id': id } });
const cost = (usd: string) => ({ attributes: { 'run.cost_usd': usd } });

test('a step costs what the model calls inside of it cost, however deep, and each call counts once', () => {
  const states = stepStates([
    span('run', null, 'run', cost('1')),
    span('one', 'run', 'step', stepOf('step-1')),
    span('attempt', 'one', 'attempt', {}),
    span('call', 'attempt', 'model', cost('0.25')),
    span('agent', 'one', 'agent', cost('0.5')),
    span('turn', 'agent', 'turn', {}),
    span('inner', 'turn', 'model', cost('0.5')),
    span('two', 'run', 'step', { ...stepOf('step-2'), status: 'error' }),
    span('three', 'run', 'step', { ...stepOf('step-3'), status: 'running', endedAt: null, durationMs: null }),
  ]);
  expect(Object.fromEntries(states)).toEqual({
    'step-1': { status: 'completed', durationMs: 1_000, cost: 0.75 },
    'step-2': { status: 'failed', durationMs: 1_000, cost: 0 },
    'step-3': { status: 'running', durationMs: null, cost: 0 },
  });
});

test('a step that ran for each item has the state that matters most, all of their costs, and the time of all', () => {
  const item = (second: number, more: Partial<Span> = {}) =>
    span(`item-${second}`, 'map', 'step', {
      ...stepOf('ask'),
      startedAt: `2026-11-26T08:00:0${second}.000Z`,
      endedAt: `2026-11-26T08:00:0${second + 1}.000Z`,
      ...more,
    });
  const call = (second: number) => span(`call-${second}`, `item-${second}`, 'model', cost('0.5'));
  const map = span('map', 'run', 'step', stepOf('each'));
  const ended = [
    map,
    item(1),
    call(1),
    item(3, { status: 'error' }),
    call(3),
    item(2, { status: 'skipped' }),
  ];
  expect(stepStates(ended).get('ask')).toEqual({ status: 'failed', durationMs: 3_000, cost: 1 });
  const open = [map, item(1), item(2, { status: 'waiting', endedAt: null, durationMs: null })];
  expect(stepStates(open).get('ask')).toEqual({ status: 'waiting', durationMs: null, cost: 0 });
});
