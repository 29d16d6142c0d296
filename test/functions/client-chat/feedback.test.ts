import { expect, test } from 'vitest';
import { expectStatus } from '../../support/flows/flows.ts';
import { agentChat, answerTo, fromPage, onlyConversation, openSession } from '../../support/surfaces/chat.ts';

async function answered() {
  const world = await agentChat({ rateLimitPerMinute: 2 });
  const messages = [{ id: 'u1', role: 'user', content: 'Hello' }];
  await answerTo(world.sessionId, '', { messages, assistantMessageId: 'a1' });
  const send = (body: object, sessionId = world.sessionId) => fromPage('feedback', { sessionId, ...body });
  return { ...world, send };
}

test('the last vote wins; the tenant sees it with the conversation', async () => {
  const { tenant, token, send } = await answered();
  // The widget sends its token too.
  const first = await expectStatus(201, send({ type: 'upvote', messageId: 'a1', token }));
  expect(first).toMatchObject({ success: true, feedbackId: expect.stringMatching(/^feedback_/) });
  await expectStatus(201, send({ type: 'copy', messageId: 'a1' }));
  const comment = { comment: 'Wrong', metadata: { page: '/cart' } };
  const { feedbackId } = await expectStatus(201, send({ type: 'downvote', messageId: 'a1', ...comment }));
  await expectStatus(201, send({ type: 'csat', rating: 2 }));
  await expectStatus(201, send({ type: 'csat', rating: 5, comment: 'Better' }));
  await expectStatus(201, send({ type: 'nps', rating: 0 }));
  const { feedback } = await onlyConversation(tenant);
  expect(feedback).toMatchObject([
    { type: 'copy', messageId: 'a1', rating: null },
    { id: feedbackId, type: 'downvote', messageId: 'a1', ...comment },
    { type: 'csat', messageId: null, rating: 5, comment: 'Better' },
    { type: 'nps', messageId: null, rating: 0 },
  ]);
});

test('the widget’s name of a later text of an answer stands for the answer', async () => {
  const { tenant, send } = await answered();
  await expectStatus(201, send({ type: 'upvote', messageId: 'a1_text_turn_01k9m4v7d3x8qz5w2r6t0y1hbn' }));
  expect((await onlyConversation(tenant)).feedback).toMatchObject([{ type: 'upvote', messageId: 'a1' }]);
});

test('404 for messages of others and without a conversation; 401 and 403 as for messages', async () => {
  const { token, sessionId, send } = await answered();
  const other = await answered();
  const { sessionId: second } = await expectStatus(200, openSession(token));
  const vote = { type: 'upvote', messageId: 'a1' };
  expect((await send({ type: 'upvote', messageId: 'a2' })).body.error).toBe('Message not found');
  expect((await send(vote, second)).body.error).toBe('Conversation not found');
  await expectStatus(401, send(vote, 'invented'));
  await expectStatus(403, fromPage('feedback', { sessionId, ...vote }, 'https://evil.example'));
  expect((await onlyConversation(other.tenant)).feedback).toEqual([]);
});

test('400 names what is wrong', async () => {
  const { send } = await answered();
  const wrong: [object, string][] = [
    [{ type: 'like', messageId: 'a1' }, 'type'],
    [{ type: 'upvote' }, 'messageId'],
    [{ type: 'upvote', messageId: 'a1', rating: 1 }, 'rating'],
    [{ type: 'csat' }, 'rating'],
    [{ type: 'csat', rating: 0 }, 'rating'],
    [{ type: 'csat', rating: 6 }, 'rating'],
    [{ type: 'nps', rating: 11 }, 'rating'],
    [{ type: 'nps', rating: '9' }, 'rating'],
    [{ type: 'nps', rating: 9, messageId: 'a1' }, 'messageId'],
    [{ type: 'nps', rating: 9, comment: 'x'.repeat(1_001) }, 'comment'],
    [{ type: 'nps', rating: 9, metadata: { x: 'x'.repeat(1_000) } }, 'metadata'],
  ];
  for (const [body, path] of wrong) {
    const { details } = await expectStatus(400, send(body));
    expect(details[0].path, JSON.stringify(body)).toBe(path);
  }
});
