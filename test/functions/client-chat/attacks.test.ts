import { expect, test } from 'vitest';
import { calls, scripted } from '../../support/agents/agent-runs.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import { eventually } from '../../support/stack/eventually.ts';
import {
  agentChat,
  answerTo,
  continued,
  fromPage,
  getAsPage,
  lastEvent,
  onlyConversation,
  openPageStream,
  openSession,
  streamedText,
} from '../../support/surfaces/chat.ts';

const search = { name: 'search', description: 'Searches', parametersSchema: { type: 'object' } };
const open = { config: { clientTools: true }, rateLimitPerMinute: 100 };
const sum = calls(['calculator', { expression: '1 + 1' }]);

/** An answer that waits for the page and then takes many turns. */
async function waiting(turns = 8, changes: object = open, model = 'generic-openai/scripted') {
  const world = await agentChat(changes, { model, tools: { toolIds: ['builtin:calculator'] } });
  const script = scripted(calls(['search']), ...Array.from({ length: turns }, () => sum), {
    text: 'The end',
  });
  const events = await answerTo(world.sessionId, script, { clientTools: [search], assistantMessageId: 'a1' });
  const { executionId, toolCallId } = lastEvent(events);
  const given = { sessionId: world.sessionId, executionId, toolOutputs: { [toolCallId]: 1 } };
  return { ...world, executionId, given };
}

const contents = async (tenant: Awaited<ReturnType<typeof agentChat>>['tenant']) =>
  (await onlyConversation(tenant)).messages.map(({ content }: { content: unknown }) => content);

test.concurrent('a repeated continuation is refused, and does not end the answer that goes on', async () => {
  const { tenant, agent, executionId, given } = await waiting(0, open, 'generic-openai/scripted-slow');
  const first = continued('resume', given);
  const path = `/v1/agents/${agent.id}/executions/${executionId}`;
  await eventually(async () => {
    const { status } = await expectStatus(200, tenant.call('GET', path));
    expect(status).toBe('running');
  });
  expect((await continued('resume', given)).status).toBe(409);
  expect(streamedText((await first).events)).toBe('The end');
  expect((await contents(tenant)).at(-1)).toBe('The end');
});

test.concurrent('a continuation of a former answer does not end the one of a later message', async () => {
  const { tenant, sessionId } = await agentChat({}, { model: 'generic-openai/trickling' });
  const { executionId } = lastEvent(await answerTo(sessionId, 'First'));
  const { hangUp } = await openPageStream(sessionId, 'one two three four five six seven');
  hangUp();
  const given = { sessionId, executionId, toolOutputs: { call_1: 1 } };
  expect((await continued('resume', given)).status).toBe(409);
  await eventually(async () => expect((await contents(tenant)).at(-1)).toContain('five six seven'));
});

test.concurrent('an answer cannot be continued in a conversation that the tenant has deleted', async () => {
  const { tenant, sessionId, given } = await waiting(0);
  const { id } = await onlyConversation(tenant);
  await expectStatus(204, tenant.call('DELETE', `/v1/conversations/${id}`));
  await answerTo(sessionId, 'A new one');
  expect((await continued('resume', given)).status).toBe(409);
  const { conversations } = await expectStatus(200, getAsPage('conversations', sessionId));
  expect(conversations).toMatchObject([{ messageCount: 2 }]);
});

test.concurrent('an answer whose conversation is deleted in its middle comes to its end', async () => {
  const { tenant, sessionId } = await agentChat({}, { model: 'generic-openai/scripted-slow' });
  await answerTo(sessionId, 'First');
  const { id } = await onlyConversation(tenant);
  const answering = answerTo(sessionId, scripted({ text: 'The end' }));
  await eventually(async () => {
    const { messageCount } = await expectStatus(200, tenant.call('GET', `/v1/conversations/${id}`));
    expect(messageCount).toBe(3);
  });
  await expectStatus(204, tenant.call('DELETE', `/v1/conversations/${id}`));
  expect(lastEvent(await answering)).toMatchObject({ type: 'execution_complete', success: true });
});

test.concurrent('texts of a continuation are in the conversation, and count for the session', async () => {
  const full = await waiting(0, { ...open, maxMessagesPerSession: 1 });
  const texts = [{ role: 'user', content: 'By the way' }];
  const refused = await continued('resume', { ...full.given, messages: texts });
  expect([refused.status, refused.body.error]).toEqual([429, 'Rate limit exceeded']);
  expect((await continued('resume', full.given)).status).toBe(200);
  const { tenant, given } = await waiting(0);
  expect((await continued('resume', { ...given, messages: texts })).status).toBe(200);
  expect((await contents(tenant)).slice(1).toSorted()).toEqual(['By the way', 'The end']);
});

test.concurrent('an answer is in the conversation also if the page gave it the id of another message', async () => {
  const { tenant, sessionId } = await agentChat();
  const body = {
    sessionId,
    messages: [{ id: 'same', role: 'user', content: 'Hi' }],
    assistantMessageId: 'same',
  };
  await expectStatus(200, fromPage('chat', body));
  await eventually(async () => expect(await contents(tenant)).toEqual(['Hi', 'You said: Hi']));
});

test.concurrent('requests that run nothing do not count for the token', async () => {
  const { token, sessionId } = await agentChat({ rateLimitPerMinute: 2 });
  for (let n = 0; n < 4; n++) {
    await expectStatus(400, fromPage('chat', { sessionId }));
    const executionId = 'exec_01k9m4v7d3x8qz5w2r6t0y1hbn';
    await expectStatus(404, fromPage('resume', { sessionId, executionId, toolOutputs: { a: 1 } }));
  }
  const other = await expectStatus(200, openSession(token));
  await answerTo(other.sessionId, 'Hi');
  await answerTo(sessionId, 'Hi');
  expect((await openPageStream(sessionId, 'Hi')).status).toBe(429);
});

test.concurrent.each([
  [{ messages: [{ id: '\ud800', role: 'user', content: 'Hi' }] }, 'messages.0.id'],
  [{ messages: [{ role: 'user', content: 'Hi' }], assistantMessageId: '\ud800' }, 'assistantMessageId'],
  [
    { messages: [{ role: 'user', content: 'Hi' }], clientToolsFingerprint: '\ud800' },
    'clientToolsFingerprint',
  ],
])('400 names text that the table cannot store: %j', async (body, path) => {
  const { sessionId } = await agentChat(open);
  const { details } = await expectStatus(400, fromPage('chat', { sessionId, ...body }));
  expect(details).toMatchObject([{ path }]);
});
