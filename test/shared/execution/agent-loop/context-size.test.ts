import { expect, test } from 'vitest';
import { tokensOfText } from '../../../../shared/adapters/models/usage.ts';
import type { ModelMessage } from '../../../../shared/adapters/ports/model-port.ts';
import { estimateTokens } from '../../../../shared/execution/agent-loop/compaction.ts';

const user = (content: string): ModelMessage => ({ role: 'user', content });
const answer: ModelMessage = { role: 'assistant', content: 'yes' };

test('what the provider counted is exact, and only later messages are estimated', () => {
  const measured = { messages: 2, usage: { inputTokens: 1_000, outputTokens: 50 } };
  const tools = [{ name: 'look', parameters: { type: 'object' } }];
  const counted = [user('x'.repeat(9_999)), answer];
  expect(estimateTokens(counted, { measured, tools })).toBe(1_050);
  expect(estimateTokens([...counted, user('abcdefg')], { measured, tools })).toBe(1_050 + 5 + 2);
});

test('without a count, messages and tools are estimated', () => {
  const tools = [{ name: 'look', parameters: { type: 'object', description: 'y'.repeat(350) } }];
  expect(estimateTokens([user('abcdefg')])).toBe(7);
  expect(estimateTokens([user('abcdefg')], { tools })).toBeGreaterThan(107);
});

test('a count of more messages than there are is not used', () => {
  const measured = { messages: 5, usage: { inputTokens: 1_000, outputTokens: 50 } };
  expect(estimateTokens([user('abcdefg')], { measured })).toBe(7);
});

test('every kind of part counts: texts, reasoning, images, files, calls and results', () => {
  const size = (message: ModelMessage) => estimateTokens([message]);
  const image = { type: 'file' as const, data: new Uint8Array(9_000_000), mediaType: 'image/png' };
  expect(size({ role: 'user', content: [image] })).toBe(1_605);
  expect(size({ role: 'user', content: [{ ...image, mediaType: 'application/pdf' }] })).toBe(225_005);
  const long = 'z'.repeat(3_500);
  expect(size({ role: 'assistant', content: [{ type: 'reasoning', text: long }] })).toBe(1_005);
  expect(
    size({ role: 'assistant', content: [{ type: 'tool-call', id: 'c', name: 'look', input: { long } }] }),
  ).toBeGreaterThan(1_005);
  expect(
    size({ role: 'tool', content: [{ type: 'tool-result', id: 'c', name: 'look', output: [long] }] }),
  ).toBeGreaterThan(1_005);
});

test('characters outside of ASCII count as a token each', () => {
  expect(tokensOfText('日本語')).toBe(3);
  expect(tokensOfText('abcdefg')).toBe(2);
  expect(tokensOfText('')).toBe(0);
});
