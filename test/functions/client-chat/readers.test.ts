import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { noSpending } from '../../../shared/adapters/ports/spending.ts';
import { clientSessionEntity, sessionRuns } from '../../../shared/domain/client-sessions/client-session.ts';
import { hashKey } from '../../../shared/platform/auth/key-format.ts';
import { conversationMessages } from '../../../shared/protocols/chat/conversation-messages.ts';
import { type ReceivedEvent, readEvents } from '../../support/stack/sse.ts';
import { countingRuntime, stack } from '../../support/stack/stack.ts';
import {
  agentChat,
  answerTo,
  lastEvent,
  onlyConversation,
  openPageStream,
  shop,
} from '../../support/surfaces/chat.ts';

const slow = { model: 'generic-openai/trickling' };
const long = Array.from({ length: 75 }, (_, n) => `word${n}`).join(' ');

/** A page that reads a stream until it leaves. */
function reading(events: AsyncIterable<ReceivedEvent>, hangUp: () => void) {
  const all: ReceivedEvent[] = [];
  const end = (async () => {
    for await (const event of events) all.push(event);
    return all.at(-1)?.data.type;
  })();
  end.catch(() => {});
  return { end, hangUp };
}

/** Begins a long answer. */
async function asked(sessionId: string) {
  const { events, hangUp, body } = await openPageStream(sessionId, long);
  const first = (await events?.next())?.value;
  if (!events || !first) throw new Error(JSON.stringify(body));
  return { executionId: first.data.executionId as string, ...reading(events, hangUp) };
}

/** A second tab, or a page that reconnected. */
async function follower(sessionId: string, executionId: string) {
  const hanging = new AbortController();
  const { body, status } = await fetch(`${stack().url}/v1/client/executions/${executionId}/events`, {
    headers: { origin: shop, authorization: `Bearer ${sessionId}` },
    signal: hanging.signal,
  });
  expect(status).toBe(200);
  const events = readEvents(body as ReadableStream<Uint8Array>);
  await events.next();
  return reading(events, () => hanging.abort());
}

test.concurrent('a second reader that leaves does not end the answer of the first', async () => {
  const { sessionId } = await agentChat({}, slow);
  const page = await asked(sessionId);
  const tab = await follower(sessionId, page.executionId);
  tab.hangUp();
  await sleep(300);
  const next = answerTo(sessionId, 'next');
  expect(await page.end).toBe('execution_complete');
  expect(lastEvent(await next).type).toBe('execution_complete');
});

test.concurrent('the first reader that leaves does not end the answer of a second one', async () => {
  const { sessionId } = await agentChat({}, slow);
  const page = await asked(sessionId);
  const tab = await follower(sessionId, page.executionId);
  page.hangUp();
  await sleep(300);
  const next = answerTo(sessionId, 'next');
  expect(await tab.end).toBe('execution_complete');
  expect(lastEvent(await next).type).toBe('execution_complete');
});

test.concurrent('of two readers that reconnected, one may leave', async () => {
  const { sessionId } = await agentChat({}, slow);
  const page = await asked(sessionId);
  page.hangUp();
  const [one, other] = await Promise.all([1, 2].map(() => follower(sessionId, page.executionId)));
  one?.hangUp();
  await sleep(300);
  const next = answerTo(sessionId, 'next');
  expect(await other?.end).toBe('execution_complete');
  expect(lastEvent(await next).type).toBe('execution_complete');
});

test.concurrent('an answer that nobody reads any more is interrupted', async () => {
  const { tenant, sessionId } = await agentChat({}, slow);
  const page = await asked(sessionId);
  const tab = await follower(sessionId, page.executionId);
  page.hangUp();
  tab.hangUp();
  await sleep(300);
  const interrupted = await answerTo(sessionId, 'next');
  expect(lastEvent(interrupted).type).toBe('execution_complete');
  const { messages } = await onlyConversation(tenant);
  expect(messages.map(({ role }: { role: string }) => role)).toEqual(['user', 'user', 'assistant']);
});

test.concurrent('an answer that a reader stored first is added and counted once', async () => {
  const { tenant, sessionId } = await agentChat();
  const { executionId } = lastEvent(await answerTo(sessionId, 'Hello'));
  const before = await onlyConversation(tenant);
  const scope = countingRuntime().scopeOf(tenant.tenant);
  const { table } = scope;
  const hash = hashKey(sessionId);
  const turn = { turnId: 'turn_1', turnUntil: new Date(Date.now() + 5_000).toISOString() };
  await table.commit([table.writes.update(clientSessionEntity, { hash }, { set: turn })]);
  const run = await sessionRuns(scope).find(hash, executionId);
  if (!run) throw new Error('No such run');
  const used = { ...noSpending, inputTokens: 5, outputTokens: 5, unpriced: 1 };
  const text = before.messages[1].content;
  expect(await conversationMessages(scope).addAnswer(run, turn.turnId, text, used)).toBe('stored');
  const { messages, usage } = await onlyConversation(tenant);
  expect({ messages, usage }).toEqual({ messages: before.messages, usage: before.usage });
});

test.concurrent('a page that gives all answers one id gets each, also if they are equal', async () => {
  const { tenant, sessionId } = await agentChat();
  for (let n = 0; n < 3; n++) await answerTo(sessionId, 'Hello', { assistantMessageId: 'answer' });
  const { messages } = await onlyConversation(tenant);
  expect(messages.map(({ content }: { content: string }) => content)).toEqual(
    Array.from({ length: 3 }, () => ['Hello', 'You said: Hello']).flat(),
  );
});
