import { expect, test } from 'vitest';
import { addDepth, agentLevelsMax, depthHeader, getCallDepth } from '../../../shared/core/agent-depth.ts';

test('a call without a number, or with another text, starts an outermost run', () => {
  for (const header of [undefined, '', '-1', '1.5', '1e3', 'deep']) expect(getCallDepth(header)).toBe(0);
});

test('of joined headers the highest number counts', () => {
  expect(getCallDepth('0, 3,1')).toBe(3);
});

test('a call beyond the limit is refused', () => {
  expect(getCallDepth(String(agentLevelsMax))).toBe(agentLevelsMax);
  for (const header of [String(agentLevelsMax + 1), '999999999', '1'.repeat(10), '9'.repeat(400)]) {
    expect(() => getCallDepth(header)).toThrow('Agents run each other at most 5 levels deep');
  }
});

test('what a run calls is one level deeper, also if a run inside of it calls', () => {
  expect(addDepth({ accept: 'a' }, 0)).toEqual({ accept: 'a', [depthHeader]: '1' });
  expect(addDepth(addDepth({}, 3), 1)).toEqual({ [depthHeader]: '4' });
});
