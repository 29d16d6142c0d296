import { expect, test } from 'vitest';
import type { ModelMessage } from '../../../../shared/adapters/ports/model-port.ts';
import type { FactOf } from '../../../../shared/execution/agent-loop/facts.ts';
import { nothingSpent } from '../../../../shared/execution/agent-loop/facts.ts';
import { replay } from '../../../../shared/execution/agent-loop/state.ts';

const context = (told: Pick<FactOf<'context'>, 'text' | 'question'>) =>
  ({ type: 'context', ...told, spent: nothingSpent, at: '2026-11-26T12:00:00.000Z' }) as const;
const told = (messages: ModelMessage[], given: Parameters<typeof context>[0]) =>
  replay(messages, [context(given)]).messages;

const chat: ModelMessage[] = [
  { role: 'system', content: 'You are a parrot.' },
  { role: 'user', content: 'Hi' },
  { role: 'assistant', content: 'Hi' },
  { role: 'user', content: 'Bye' },
];

test('what differs in every run begins the last message of the user, what does not follows the system prompt', () => {
  expect(told(chat, { text: 'You remember Ada.', question: 'It is noon.' })).toEqual([
    { role: 'system', content: 'You are a parrot.\n\nYou remember Ada.' },
    ...chat.slice(1, 3),
    { role: 'user', content: 'It is noon.\n\nBye' },
  ]);
});

test('a message of several parts gets one more', () => {
  const image = { type: 'file' as const, data: new Uint8Array([1]), mediaType: 'image/png' };
  const [message] = told([{ role: 'user', content: [image] }], { text: '', question: 'It is noon.' });
  expect(message?.content).toEqual([{ type: 'text', text: 'It is noon.' }, image]);
});

test('two runs of a chat begin with the same messages, whatever the time', () => {
  const first = told(chat.slice(0, 2), { text: '', question: 'It is noon.' });
  const second = told(chat, { text: '', question: 'It is one o’clock.' });
  expect(second.slice(0, 1)).toEqual(first.slice(0, 1));
  expect(second.slice(0, -1)).toEqual(chat.slice(0, -1));
});

test('the log of an earlier release is read as it was written: the time follows the system prompt', () => {
  expect(told(chat, { text: 'It is noon.' })).toEqual([
    { role: 'system', content: 'You are a parrot.\n\nIt is noon.' },
    ...chat.slice(1),
  ]);
});
