import { expect, test } from 'vitest';
import type { RunEnd } from '../../../../console/src/run/parts/run-end.ts';
import { conversationTotals } from '../../../../console/src/screens/agents/playground/conversation.ts';
import { approvalIn, needsApproval } from '../../../../console/src/screens/agents/tools/tool-effects.ts';

const answer = (end?: Partial<RunEnd>) => ({
  parts: [],
  waits: [],
  ...(end && { end: { status: 'completed' as const, ...end } }),
});

test('adds up the answers of a conversation that have ended', () => {
  const first = { tokens: { input: 10, output: 2 }, cost: '0.001', durationMs: 300 };
  const second = { tokens: { input: 20, output: 3 }, cost: '0.002', durationMs: 200 };
  expect(conversationTotals([answer(first), answer(second), answer()])).toEqual({
    answers: 2,
    durationMs: 500,
    tokens: { input: 30, output: 5 },
    cost: '0.003',
  });
});

test('says no cost if the price of one answer is not known', () => {
  expect(conversationTotals([answer({ cost: '0.1' }), answer({ cost: null })]).cost).toBeNull();
  expect(conversationTotals([answer({ status: 'failed' })])).toMatchObject({
    answers: 1,
    durationMs: 0,
    cost: '0',
  });
});

test('a tool needs an approval by its id, its name, or its name as the model gets it', () => {
  const config = { tools: { approval: { require: ['builtin:calculator', 'Current weather'] } } };
  const approval = approvalIn(config);
  expect(needsApproval(approval, { id: 'builtin:calculator', name: 'Calculator' })).toBe(true);
  expect(needsApproval(approval, { id: 'tool_1', name: 'Current weather' })).toBe(true);
  expect(needsApproval(approval, { id: 'tool_1', name: 'Current_weather' })).toBe(true);
  expect(needsApproval(approval, { id: 'tool_2', name: 'Calculator' })).toBe(false);
  expect(needsApproval(approvalIn({ tools: { approval: { require: true } } }), { id: '', name: '' })).toBe(
    true,
  );
  expect(approvalIn(undefined)).toBe(false);
});
