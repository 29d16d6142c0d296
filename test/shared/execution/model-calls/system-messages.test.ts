import { expect, test } from 'vitest';
import type { Message } from '../../../../shared/domain/conversations/message.ts';
import { toModelMessages } from '../../../../shared/execution/model-calls/to-model-messages.ts';

const { signal } = new AbortController();
const said = (role: Message['role'], content: string): Message => ({ role, content });
const modelMessages = (...messages: Message[]) => toModelMessages({} as never, messages, signal);

test('system messages at the beginning become one, later ones stay in their places, and empty ones are left out', async () => {
  const messages = await modelMessages(
    said('system', 'A'),
    said('system', ''),
    said('system', 'B'),
    said('user', 'hi'),
    said('system', ''),
    said('assistant', 'ho'),
    said('system', 'C'),
    said('user', 'on'),
  );
  expect(messages.map(({ role, content }) => `${role}: ${content}`)).toEqual([
    'system: A\n\nB',
    'user: hi',
    'assistant: ho',
    'system: C',
    'user: on',
  ]);
  expect(await modelMessages(said('system', ''), said('user', 'hi'))).toHaveLength(1);
  expect(await modelMessages(said('system', 'A'))).toEqual([{ role: 'system', content: 'A' }]);
});
