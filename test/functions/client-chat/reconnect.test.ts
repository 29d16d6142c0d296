import { expect, test } from 'vitest';
import { clientSessionEntity } from '../../../shared/domain/client-sessions/client-session.ts';
import { hashKey } from '../../../shared/platform/auth/key-format.ts';
import { calls, scripted } from '../../support/agents/agent-runs.ts';
import { expectStatus, template } from '../../support/flows/flows.ts';
import type { ReceivedEvent } from '../../support/stack/sse.ts';
import { countingRuntime } from '../../support/stack/stack.ts';
import {
  agentChat,
  answerTo,
  chatWorld,
  eventsOfPage,
  framesOfPage,
  getAsPage,
  lastEvent,
  onlyConversation,
  openPageStream,
  openSession,
  type SeenEvent,
  streamedText,
} from '../../support/surfaces/chat.ts';

const slow = { model: 'generic-openai/trickling' };
const long = Array.from({ length: 100 }, (_, n) => `word${n}`).join(' ');
const typesOf = (frames: ReceivedEvent[]) => frames.map(({ data }) => data.type);
const seenOf = (frames: ReceivedEvent[]) => frames.map(({ data }) => data as unknown as SeenEvent);

/** Sends a message, and reads a number of events of its answer. */
async function beginning(sessionId: string, content: string, count: number, more: object = {}) {
  const { events, hangUp, body } = await openPageStream(sessionId, content, more);
  if (!events) throw new Error(JSON.stringify(body));
  const frames: ReceivedEvent[] = [];
  while (frames.length < count) {
    const { value } = await events.next();
    if (!value) throw new Error(`The answer ended after ${JSON.stringify(frames)}`);
    frames.push(value);
  }
  return { frames, hangUp, rest: events, executionId: frames[0]?.data.executionId as string };
}

test.concurrent('a page that lost the connection gets the rest of the answer, without a gap or a repetition', async () => {
  const { tenant, sessionId } = await agentChat({}, slow);
  const { frames, hangUp, executionId } = await beginning(sessionId, long, 12, { assistantMessageId: 'a1' });
  hangUp();
  const rest = await framesOfPage(sessionId, executionId, frames.at(-1)?.id);
  const whole = rest.at(-1)?.data.finalOutput as string;
  expect(whole.split(' ').length).toBeGreaterThan(20);
  expect(streamedText(seenOf(frames)) + streamedText(seenOf(rest))).toBe(whole);
  // The page sees it as it is said.
  expect(typesOf(rest).filter((type) => type === 'text_delta').length).toBeGreaterThan(2);
  expect([...new Set(typesOf(rest))]).toEqual(['text_delta', 'text_complete', 'execution_complete']);
  const numbers = [...frames, ...rest].map(({ data }) => data.seq);
  expect(numbers).toEqual([...new Set(numbers)].toSorted((one, other) => one - other));
  const { messages } = await onlyConversation(tenant);
  expect(messages).toMatchObject([{ content: long }, { id: 'a1', content: whole }]);
});

test.concurrent('wherever an answer breaks, the rest continues it', async () => {
  const { sessionId } = await agentChat({ config: { clientTools: true } });
  const total = { name: 'total', description: 'Sums', parametersSchema: { type: 'object' } };
  const script = scripted({ ...calls(['total']), text: 'Let me see. ' } as never, { text: 'It is 3' });
  const frames: ReceivedEvent[] = [];
  const { events } = await openPageStream(sessionId, script, { clientTools: [total] });
  for await (const frame of events ?? []) frames.push(frame);
  const executionId = frames[0]?.data.executionId as string;
  const all = seenOf(frames);
  for (const [index, { id }] of frames.entries()) {
    const rest = await eventsOfPage(sessionId, executionId, id);
    const kinds = (events: SeenEvent[]) =>
      events.filter(({ type }) => type !== 'text_delta').map(({ seq }) => seq);
    expect(kinds(rest)).toEqual(kinds(all.slice(index + 1)));
    expect(streamedText(all.slice(0, index + 1)) + streamedText(rest)).toBe(streamedText(all));
  }
  expect((await eventsOfPage(sessionId, executionId)).map(({ type }) => type)).toEqual([
    ...all
      .map(({ type }) => type)
      .filter((type, index, types) => type !== 'text_delta' || types[index - 1] !== type),
  ]);
});

test.concurrent('the header Last-Event-ID counts as `after`; 400 for one that is no id', async () => {
  const { sessionId } = await agentChat();
  const events = await answerTo(sessionId, 'Hello');
  const { executionId, seq } = lastEvent(events);
  const path = `executions/${executionId}/events`;
  const headers = { 'last-event-id': String(seq - 1) };
  const { status, body } = await getAsPage(path, sessionId, headers);
  expect([status, body.match(/^event: .*$/gm)]).toEqual([200, ['event: execution_complete']]);
  for (const after of ['x', '1.2', '1.2.3.turn', `1.2.3.turn_${'x'.repeat(70)}`, '99999999999999999999']) {
    const { details } = await expectStatus(400, getAsPage(`${path}?after=${after}`, sessionId));
    expect(details[0].path).toBe('after');
  }
});

test.concurrent('401 without a session, 404 for a run of another session, 403 for a page of another origin', async () => {
  const { token, sessionId } = await agentChat();
  const { executionId } = lastEvent(await answerTo(sessionId, 'Hello'));
  const { sessionId: other } = await expectStatus(200, openSession(token));
  const path = `executions/${executionId}/events`;
  const missing = await getAsPage('executions/exec_01k9m4v7d3x8qz5w2r6t0y1hbn/events', sessionId);
  const foreign = await getAsPage(path, other);
  expect([foreign.status, foreign.body]).toEqual([404, missing.body]);
  await expectStatus(401, getAsPage(path, 'invented'));
  await expectStatus(401, getAsPage(path, sessionId, { authorization: '' }));
  await expectStatus(403, getAsPage(path, sessionId, { origin: 'https://evil.example' }));
});

test.concurrent('a page that hung up and reads again keeps its answer; a second tab waits for it', async () => {
  const { sessionId } = await agentChat({}, slow);
  const { hangUp, executionId, frames } = await beginning(sessionId, long, 5);
  hangUp();
  const rest = eventsOfPage(sessionId, executionId, frames.at(-1)?.id);
  await new Promise((resolve) => setTimeout(resolve, 300));
  const next = await answerTo(sessionId, 'second tab');
  expect(lastEvent(await rest)).toMatchObject({ type: 'execution_complete' });
  expect(lastEvent(next)).toMatchObject({ type: 'execution_complete' });
});

test.concurrent('init shows a reloaded page its history, and the answer that goes on', async () => {
  const { token, sessionId } = await agentChat({}, slow);
  const first = await expectStatus(200, openSession(token, { sessionId }));
  expect([first.conversation, first.executionId]).toEqual([null, null]);
  const { hangUp, executionId } = await beginning(sessionId, long, 5, { assistantMessageId: 'a1' });
  hangUp();
  const opened = await expectStatus(200, openSession(token, { sessionId }));
  expect(opened).toMatchObject({ sessionId, executionId });
  expect(opened.conversation.messages).toMatchObject([{ role: 'user', content: long }]);
  const whole = streamedText(await eventsOfPage(sessionId, executionId));
  const later = await expectStatus(200, openSession(token, { sessionId }));
  expect(later.executionId).toBeNull();
  expect(later.conversation.messages).toMatchObject([{ content: long }, { id: 'a1', content: whole }]);
});

test.concurrent('an answer that was complete when its process died is stored when the session is used again', async () => {
  const { tenant, token, sessionId } = await agentChat();
  const { executionId } = lastEvent(await answerTo(sessionId, 'Hello', { assistantMessageId: 'a1' }));
  const { id } = await onlyConversation(tenant);
  const messages = [{ id: 'u1', role: 'user', content: 'Hello' }];
  const path = `/v1/conversations/${id}`;
  const lose = async () => {
    await expectStatus(200, tenant.call('PUT', path, { body: { messages } }));
    const { commit, writes } = countingRuntime().scopeOf(tenant.tenant).table;
    const set = { turnId: 'turn_dead', turnUntil: '2020-01-01T00:00:00.000Z', runId: executionId };
    await commit([writes.update(clientSessionEntity, { hash: hashKey(sessionId) }, { set })]);
  };
  const answer = { id: 'a1', content: 'You said: Hello' };
  await lose();
  const { conversation } = await expectStatus(200, openSession(token, { sessionId }));
  expect(conversation.messages[1]).toMatchObject(answer);
  await lose();
  expect(lastEvent(await eventsOfPage(sessionId, executionId))).toMatchObject({ type: 'execution_complete' });
  expect((await onlyConversation(tenant)).messages[1]).toMatchObject(answer);
  await lose();
  await answerTo(sessionId, 'Again');
  expect((await onlyConversation(tenant)).messages).toMatchObject([{}, answer, { content: 'Again' }, {}]);
});

test.concurrent('of a flow, the whole answer comes at its end', async () => {
  const { token } = await chatWorld([template('We are closed', 'answer')]);
  const { sessionId } = await expectStatus(200, openSession(token));
  const { executionId } = lastEvent(await answerTo(sessionId, 'Hello'));
  const events = await eventsOfPage(sessionId, executionId);
  expect([events.map(({ type }) => type).at(-1), streamedText(events)]).toEqual([
    'execution_complete',
    'We are closed',
  ]);
});

test.concurrent('of a flow, the rest of the text that a page has the beginning of; the end only once', async () => {
  const prompt = {
    type: 'prompt',
    name: 'Answers',
    config: { model: slow.model, userPrompt: long, outputVariable: 'answer' },
  };
  const { token } = await chatWorld([prompt]);
  const { sessionId } = await expectStatus(200, openSession(token));
  const { frames, hangUp, executionId } = await beginning(sessionId, 'Hello', 8);
  hangUp();
  const rest = await framesOfPage(sessionId, executionId, frames.at(-1)?.id);
  const whole = rest.at(-1)?.data.finalOutput as string;
  expect(streamedText(seenOf(frames)) + streamedText(seenOf(rest))).toBe(whole);
  const told = rest.filter(({ data }) => data.type !== 'ping');
  expect(typesOf(told)).toEqual(['text_delta', 'text_complete', 'execution_complete']);
  expect(told[0]?.data.id).toBe(frames.find(({ data }) => data.type === 'text_start')?.data.id);
  const numbers = [...frames, ...rest].map(({ data }) => data.seq as number);
  expect(numbers).toEqual([...new Set(numbers)].toSorted((one, other) => one - other));
  // Wherever the stream of the end breaks.
  for (const [index, { id }] of told.entries()) {
    const more = await framesOfPage(sessionId, executionId, id);
    expect(typesOf(more)).toEqual(typesOf(told).slice(index + 1));
  }
});

test.concurrent('a page that has the end of a flow’s answer gets nothing more', async () => {
  const { token } = await chatWorld([template('We are closed', 'answer')]);
  const { sessionId } = await expectStatus(200, openSession(token));
  const { events } = await openPageStream(sessionId, 'Hello');
  const frames = await Array.fromAsync(events ?? []);
  const executionId = frames[0]?.data.executionId as string;
  expect(await framesOfPage(sessionId, executionId, frames.at(-1)?.id)).toEqual([]);
  const untilText = frames.findIndex(({ data }) => data.type === 'text_delta');
  const rest = await framesOfPage(sessionId, executionId, frames[untilText]?.id);
  expect(typesOf(rest)).toEqual(['text_complete', 'execution_complete']);
});
