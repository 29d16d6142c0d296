import { expect, test } from 'vitest';
import { expectStatus, template } from '../../support/flows/flows.ts';
import type { Tenant } from '../../support/stack/stack.ts';
import {
  agentChat,
  answerTo,
  chatWorld,
  onlyConversation,
  openSession,
  type SeenEvent,
} from '../../support/surfaces/chat.ts';
import { alternatingMessages, replaceMessages } from '../../support/surfaces/conversations.ts';

/** The model answers with the request that it got, also when it is asked for a summary. */
const mirror = { model: 'generic-openai/mirror' };
const opening = 'Summary of the conversation since then.';

const said = (count: number) => alternatingMessages(count, (n) => `text ${n}.`);

/** What the model got for an answer, without the system prompt. */
function promptOf(events: SeenEvent[]): { role: string; content: unknown }[] {
  const text = events.flatMap(({ type, delta }) => (type === 'text_delta' ? [delta] : [])).join('');
  return JSON.parse(text).messages.filter(({ role }: { role: string }) => role !== 'system');
}

async function longChat(count: number) {
  const chat = await agentChat({}, mirror);
  await answerTo(chat.sessionId, 'hello');
  const { id } = await onlyConversation(chat.tenant);
  await replaceMessages(chat.tenant, id, said(count));
  return { ...chat, conversationId: id as string };
}

async function compactionsOf(tenant: Tenant, agentId: string, events: SeenEvent[]) {
  const path = `/v1/agents/${agentId}/executions/${events[0]?.executionId}`;
  return (await expectStatus(200, tenant.call('GET', path))).compactions as { summary: string }[];
}

test('a long chat goes on with a summary of its older messages, which is made once', async () => {
  const { tenant, agent, sessionId, conversationId } = await longChat(84);
  const first = await answerTo(sessionId, 'What was the first text?');
  const made = await compactionsOf(tenant, agent.id, first);
  expect(made).toHaveLength(1);
  expect(made[0]?.summary).toContain('text 0.');
  const [start, ...recent] = promptOf(first);
  expect(JSON.stringify(start?.content)).toContain(opening);
  // 40 messages with the new one: those before them are in the summary.
  expect([start?.role, recent.length]).toEqual(['user', 40]);
  expect(recent[0]).toMatchObject({ role: 'assistant', content: 'text 45.' });
  expect(recent.at(-1)).toMatchObject({ role: 'user', content: 'What was the first text?' });

  const second = await answerTo(sessionId, 'And now?');
  expect(await compactionsOf(tenant, agent.id, second)).toEqual([]);
  const [again, ...since] = promptOf(second);
  expect(JSON.stringify(again?.content)).toContain(opening);
  expect(since).toHaveLength(42);
  expect(since[0]).toMatchObject({ role: 'assistant', content: 'text 45.' });

  // Readers of the conversation see every message and no summary.
  const { messages } = await expectStatus(200, tenant.call('GET', `/v1/conversations/${conversationId}`));
  expect(messages).toHaveLength(50);
  expect(messages.find(({ id }: { id: string }) => id === 'm44')).toEqual({
    id: 'm44',
    role: 'user',
    content: 'text 44.',
    createdAt: expect.any(String),
  });
});

test('system messages of the tenant stay, also those of the summarised part', async () => {
  const { tenant, sessionId, conversationId } = await longChat(84);
  const rules = (n: number) => ({ id: `s${n}`, role: 'system', content: `Rule ${n}.` });
  await replaceMessages(tenant, conversationId, [rules(1), ...said(84).toSpliced(10, 0, rules(2) as never)]);
  for (const text of ['one', 'two', 'three']) {
    const answer = await answerTo(sessionId, text);
    const all = answer.flatMap(({ type, delta }) => (type === 'text_delta' ? [delta] : [])).join('');
    const [system] = JSON.parse(all).messages;
    expect(system).toMatchObject({ role: 'system', content: expect.stringContaining('Rule 1.\n\nRule 2.') });
  }
});

test('a summary goes with the messages that it covers', async () => {
  const { tenant, sessionId, conversationId } = await longChat(84);
  await answerTo(sessionId, 'one');
  await replaceMessages(tenant, conversationId, said(2));
  const prompt = promptOf(await answerTo(sessionId, 'two'));
  expect(prompt.map(({ content }) => content)).toEqual(['text 0.', 'text 1.', 'two']);
});

test('a flow gets the newest 100 messages', async () => {
  const { tenant, token } = await chatWorld([
    template('{{ messages | size }}: {{ messages[0].content }}', 'answer'),
  ]);
  const { sessionId } = await expectStatus(200, openSession(token));
  await answerTo(sessionId, 'hello');
  const { id } = await onlyConversation(tenant);
  await replaceMessages(tenant, id, said(120));
  const events = await answerTo(sessionId, 'How many?');
  expect(events.find(({ type }) => type === 'text_delta')?.delta).toBe('101: text 20.');
});
