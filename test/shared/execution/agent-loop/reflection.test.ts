import { expect, test } from 'vitest';
import type { RequestedCall, TurnFact } from '../../../../shared/execution/agent-loop/facts.ts';
import { getReflection } from '../../../../shared/execution/agent-runs/open-loop.ts';

const calls = [{ id: 'call_1' } as RequestedCall];
const after = (turns: number, more: object = {}) => ({
  turns,
  isReminded: false,
  lastTurn: { calls } as unknown as TurnFact,
  ...more,
});
const on = { enableReflection: true };

test('a reflection is due after every interval of turns', () => {
  const due = (config: object) =>
    Array.from({ length: 12 }, (_, turns) => turns).filter((turns) =>
      getReflection({ ...on, ...config }, after(turns)),
    );
  expect(due({})).toEqual([5, 10]);
  expect(due({ reflectionInterval: 3 })).toEqual([3, 6, 9]);
  expect(due({ enableReflection: false })).toEqual([]);
});

test('none is due twice, without tool calls, or when no turn is left', () => {
  expect(getReflection(on, after(5, { isReminded: true }))).toBeUndefined();
  expect(getReflection(on, after(5, { lastTurn: { calls: [] } }))).toBeUndefined();
  expect(getReflection({ ...on, maxTurns: 5 }, after(5))).toBeUndefined();
});

test('the message says how many turns are left', () => {
  expect(getReflection({ ...on, maxTurns: 6 }, after(5))).toContain('You have 1 turn left.');
  expect(getReflection({ ...on, maxTurns: 9 }, after(5))).toContain('You have 4 turns left.');
  expect(getReflection(on, after(5))).not.toContain('left');
});
