import { expect, test } from 'vitest';
import { expectStatus } from '../../support/flows/flows.ts';
import {
  agentChat,
  answerTo,
  getAsPage,
  onlyConversation,
  openSession,
} from '../../support/surfaces/chat.ts';

test('a visitor lists and reads the conversation of the session', async () => {
  const { tenant, sessionId } = await agentChat();
  expect(await expectStatus(200, getAsPage('conversations', sessionId))).toEqual({ conversations: [] });
  await answerTo(sessionId, 'Hello', { assistantMessageId: 'a1' });
  const { id } = await onlyConversation(tenant);
  const { conversations } = await expectStatus(200, getAsPage('conversations', sessionId));
  expect(conversations).toEqual([
    {
      id,
      title: 'Hello',
      messageCount: 2,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    },
  ]);
  const whole = await expectStatus(200, getAsPage(`conversations/${id}`, sessionId));
  expect(whole).toMatchObject({ ...conversations[0], messagesCursor: null });
  expect(whole.messages).toMatchObject([{ content: 'Hello' }, { id: 'a1', content: 'You said: Hello' }]);
  const last = await expectStatus(200, getAsPage(`conversations/${id}?messagesLimit=1`, sessionId));
  expect(last.messages).toMatchObject([{ id: 'a1' }]);
  const before = `conversations/${id}?messagesCursor=${last.messagesCursor}`;
  expect((await expectStatus(200, getAsPage(before, sessionId))).messages).toMatchObject([
    { content: 'Hello' },
  ]);
});

test('a visitor sees neither system messages nor what only the tenant sees', async () => {
  const { tenant, sessionId, token } = await agentChat();
  await answerTo(sessionId, 'Hello', { metadata: { risk: 'high' } });
  const { id } = await onlyConversation(tenant);
  const messages = [
    { id: 'm1', role: 'system', content: 'The customer is difficult' },
    { id: 'm2', role: 'user', content: 'Hi' },
  ];
  const body = { messages, systemPrompt: 'Be brief' };
  await expectStatus(200, tenant.call('PUT', `/v1/conversations/${id}`, { body }));
  const shown = await expectStatus(200, getAsPage(`conversations/${id}`, sessionId));
  expect(shown.messages).toMatchObject([{ id: 'm2' }]);
  const { conversation } = await expectStatus(200, openSession(token, { sessionId }));
  expect(conversation).toEqual(shown);
  expect(JSON.stringify(shown)).not.toMatch(/difficult|brief|high|metadata|origin/);
});

test('401 without a session; 404 for a conversation of another session, also once it was deleted', async () => {
  const { tenant, token, sessionId } = await agentChat();
  await answerTo(sessionId, 'Hello');
  const { id } = await onlyConversation(tenant);
  const { sessionId: other } = await expectStatus(200, openSession(token));
  const missing = await getAsPage('conversations/conv_01k9m4v7d3x8qz5w2r6t0y1hbn', sessionId);
  const foreign = await getAsPage(`conversations/${id}`, other);
  expect([foreign.status, foreign.body]).toEqual([404, missing.body]);
  for (const path of ['conversations', `conversations/${id}`]) {
    await expectStatus(401, getAsPage(path, token));
    await expectStatus(401, getAsPage(path, sessionId, { authorization: `Basic ${sessionId}` }));
    await expectStatus(403, getAsPage(path, sessionId, { origin: 'https://evil.example' }));
  }
  await expectStatus(400, getAsPage(`conversations/${id}?messagesLimit=0`, sessionId));
  await expectStatus(400, getAsPage('conversations/x', sessionId));
  await expectStatus(204, tenant.call('DELETE', `/v1/conversations/${id}`));
  await expectStatus(404, getAsPage(`conversations/${id}`, sessionId));
  expect(await expectStatus(200, getAsPage('conversations', sessionId))).toEqual({ conversations: [] });
});
