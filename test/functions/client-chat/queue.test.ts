import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { clientSessionEntity } from '../../../shared/domain/client-sessions/client-session.ts';
import { hashKey } from '../../../shared/platform/auth/key-format.ts';
import { eventually } from '../../support/stack/eventually.ts';
import { countingRuntime, countingTable, stack } from '../../support/stack/stack.ts';
import {
  agentChat,
  answerTo,
  lastEvent,
  onlyConversation,
  openPageStream,
  type SeenEvent,
  shop,
  streamedText,
} from '../../support/surfaces/chat.ts';

const slow = { model: 'generic-openai/trickling' };
const words = (count: number) => Array.from({ length: count }, (_, n) => `word${n}`).join(' ');
const soon = (milliseconds: number) => new Date(Date.now() + milliseconds).toISOString();

/** Sends a message, and waits until its answer has begun. */
async function begun(sessionId: string, content: string) {
  const { events, body } = await openPageStream(sessionId, content);
  if (!events) throw new Error(JSON.stringify(body));
  await events.next();
  return { end: () => Array.fromAsync(events) };
}

type World = Awaited<ReturnType<typeof agentChat>>;

async function setSession({ tenant, sessionId }: World, set: object) {
  const { commit, writes } = countingRuntime().scopeOf(tenant.tenant).table;
  await commit([writes.update(clientSessionEntity, { hash: hashKey(sessionId) }, { set })]);
}

async function waitingIn({ tenant, sessionId }: World) {
  const session = await countingTable(tenant.tenant).get(clientSessionEntity, { hash: hashKey(sessionId) });
  return session?.waiting ?? [];
}

async function questionsOf({ tenant }: Pick<World, 'tenant'>) {
  const { messages } = await onlyConversation(tenant);
  return messages
    .filter(({ role }: { role: string }) => role === 'user')
    .map(({ content }: { content: string }) => content);
}

test.concurrent('messages that wait are answered in the order in which they came', async () => {
  const world = await agentChat({}, slow);
  const first = await begun(world.sessionId, words(50));
  const questions = ['one', 'two', 'three', 'four', 'five', 'six'];
  const answers: Promise<SeenEvent[]>[] = [];
  for (const question of questions) {
    answers.push(answerTo(world.sessionId, question));
    await eventually(async () => expect(await waitingIn(world)).toHaveLength(answers.length));
  }
  await first.end();
  const ends = (await Promise.all(answers)).map((answer) => lastEvent(answer).type);
  expect(new Set(ends)).toEqual(new Set(['execution_complete']));
  expect((await questionsOf(world)).slice(1)).toEqual(questions);
});

test.concurrent('a message whose place ran out while its process was busy gets it back', async () => {
  const world = await agentChat({}, slow);
  const first = await begun(world.sessionId, words(50));
  const answers = [answerTo(world.sessionId, 'one')];
  const one = await eventually(async () => {
    const waiting = await waitingIn(world);
    expect(waiting).toHaveLength(1);
    return waiting[0];
  });
  answers.push(answerTo(world.sessionId, 'two'));
  await eventually(async () => expect(await waitingIn(world)).toHaveLength(2));
  const others = (await waitingIn(world)).filter(({ id }) => id !== one?.id);
  await setSession(world, { waiting: others });
  await first.end();
  await Promise.all(answers);
  expect((await questionsOf(world)).slice(1)).toEqual(['one', 'two']);
});

test.concurrent('a message that interrupts is answered before those that wait, which are answered then', async () => {
  const world = await agentChat({}, slow);
  const { events } = await openPageStream(world.sessionId, words(200));
  await events?.next();
  const waiting = answerTo(world.sessionId, 'patient');
  await sleep(700);
  const urgent = await answerTo(world.sessionId, 'urgent', { submitMode: 'interrupt' });
  expect([lastEvent(urgent).type, lastEvent(await waiting).type]).toEqual([
    'execution_complete',
    'execution_complete',
  ]);
  expect((await questionsOf(world)).slice(1)).toEqual(['urgent', 'patient']);
});

test.concurrent('a message whose page leaves while it waits is answered in its turn', async () => {
  const world = await agentChat({}, slow);
  const first = await begun(world.sessionId, words(60));
  const leaving = new AbortController();
  const waiting = fetch(`${stack().url}/v1/client/chat`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: shop },
    body: JSON.stringify({ sessionId: world.sessionId, messages: [{ role: 'user', content: 'left' }] }),
    signal: leaving.signal,
  });
  waiting.catch(() => {});
  await sleep(1_000);
  leaving.abort();
  await first.end();
  await eventually(async () => {
    const { messages } = await onlyConversation(world.tenant);
    expect(messages.map(({ role }: { role: string }) => role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
    ]);
    expect(messages[2].content).toBe('left');
  });
});

test.concurrent('a request that died while it waited keeps its place for a moment only', async () => {
  const world = await agentChat();
  await answerTo(world.sessionId, 'first');
  const until = soon(1_200);
  await setSession(world, { waiting: [{ id: `turn_${'0'.repeat(26)}`, until }] });
  expect(lastEvent(await answerTo(world.sessionId, 'next')).type).toBe('execution_complete');
  expect(Date.now()).toBeGreaterThan(Date.parse(until));
});

test.concurrent('409 at once for a message when many wait already', async () => {
  const world = await agentChat();
  await answerTo(world.sessionId, 'first');
  const waiting = Array.from({ length: 20 }, (_, n) => ({ id: `turn_${n}`, until: soon(5_000) }));
  await setSession(world, { waiting });
  const since = Date.now();
  const { status, body } = await openPageStream(world.sessionId, 'next');
  expect([status, body.details[0].code, Date.now() - since < 3_000]).toEqual([409, 'CONFLICT', true]);
});

test.concurrent('a message whose id the conversation has does not count for the session', async () => {
  const { sessionId } = await agentChat({ maxMessagesPerSession: 3 });
  const messages = [{ id: 'u1', role: 'user', content: 'Hello' }];
  await answerTo(sessionId, '', { messages });
  for (let n = 0; n < 3; n++) expect((await openPageStream(sessionId, '', { messages })).status).toBe(409);
  expect(streamedText(await answerTo(sessionId, 'two'))).toBe('You said: two');
  expect(streamedText(await answerTo(sessionId, 'three'))).toBe('You said: three');
  expect((await openPageStream(sessionId, 'four')).status).toBe(429);
});

test.concurrent('a message that waits while its id is added does not count either', async () => {
  const world = await agentChat({ maxMessagesPerSession: 2 }, slow);
  const messages = [{ id: 'u1', role: 'user', content: words(40) }];
  const answering = answerTo(world.sessionId, '', { messages });
  await sleep(400);
  expect((await openPageStream(world.sessionId, '', { messages })).status).toBe(409);
  await answering;
  expect(lastEvent(await answerTo(world.sessionId, 'two')).type).toBe('execution_complete');
});
