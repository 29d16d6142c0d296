import { expect, test } from 'vitest';
import { statesOf } from '../../../../../console/src/screens/flows/data/step-states.ts';

type Span = Parameters<typeof statesOf>[0][number];

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
  startedAt: '2026-11-26T08:00:00.000Z',
  endedAt: '2026-11-26T08:00:01.000Z',
  durationMs: 1_000,
  ...more,
});
const stepOf = (id: string) => ({ attributes: { 'flow.step.id': id } });
const cost = (usd: string) => ({ attributes: { 'run.cost_usd': usd } });

test('a step costs what the model calls inside of it cost, however deep, and each call counts once', () => {
  const states = statesOf([
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
