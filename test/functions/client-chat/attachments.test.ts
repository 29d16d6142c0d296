import { expect, test } from 'vitest';
import { keepRecentFiles } from '../../../shared/protocols/chat/conversation-messages.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import {
  agentChat,
  answerTo,
  onlyConversation,
  openPageStream,
  openSession,
  streamedText,
} from '../../support/surfaces/chat.ts';
import { replaceMessages } from '../../support/surfaces/conversations.ts';

// A PNG of one pixel, as the widget sends it.
const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const image = { type: 'image', image: `data:image/png;base64,${pixel}`, mimeType: 'image/png' };
const note = {
  type: 'file',
  data: 'data:text/plain;base64,SGVsbG8=',
  filename: 'a.txt',
  mimeType: 'text/plain',
};
const text = { type: 'text', text: 'What is this?' };

test('an image of a visitor reaches the model, and stays in the conversation', async () => {
  const { tenant, token, sessionId } = await agentChat({}, { model: 'generic-openai/mirror' });
  expect(streamedText(await answerTo(sessionId, [text, image]))).toContain(pixel);
  // It is in the history of the next message.
  expect(streamedText(await answerTo(sessionId, 'And the colour?'))).toContain(pixel);
  const { id, messages } = await onlyConversation(tenant);
  expect(messages[0].content).toEqual([text, image]);
  const { conversation } = await expectStatus(200, openSession(token, { sessionId }));
  expect(conversation.messages[0].content).toEqual([text, image]);
  await expectStatus(204, tenant.call('DELETE', `/v1/conversations/${id}`));
  const { conversation: gone } = await expectStatus(200, openSession(token, { sessionId }));
  expect(gone).toBeNull();
});

test('large images and files are stored', async () => {
  const { tenant, sessionId } = await agentChat();
  const large = { ...image, image: `data:image/png;base64,${'A'.repeat(1_000_000)}` };
  await answerTo(sessionId, [text, large, note]);
  expect((await onlyConversation(tenant)).messages[0].content).toEqual([text, large, note]);
});

test('400 for a file that is not in the message, names where; nothing is fetched', async () => {
  const { tenant, sessionId } = await agentChat({ rateLimitPerMinute: 100 });
  const wrong: [object, string][] = [
    [{ ...image, image: 'https://example.com/a.png' }, 'image'],
    [{ ...image, image: ' HTTP://169.254.169.254/latest' }, 'image'],
    [{ ...image, image: 'file:///etc/passwd' }, 'image'],
    [{ ...image, image: 's3://bucket/private/x' }, 'image'],
    [{ ...image, image: 'data:image/png;base64,????' }, 'image'],
    [{ ...image, image: 'data:image/png;base64,' }, 'image'],
    [{ type: 'image', image: pixel }, 'image'],
    [{ ...note, data: 'https://example.com/a.txt' }, 'data'],
    [{ ...note, data: 'not base64!' }, 'data'],
  ];
  for (const [part, member] of wrong) {
    const { status, body } = await openPageStream(sessionId, [text, part]);
    expect([status, body?.details[0].path], JSON.stringify(part)).toEqual([
      400,
      `messages.0.content.1.${member}`,
    ]);
  }
  const huge = { ...image, image: `data:image/png;base64,${'A'.repeat(4_200_000)}` };
  const { status, body } = await openPageStream(sessionId, [text, huge]);
  expect([status, body?.details[0].code]).toEqual([400, 'TOO_LARGE']);
  const { conversations } = await expectStatus(200, tenant.call('GET', '/v1/conversations'));
  expect(conversations).toEqual([]);
});

test('a chat goes on with the newest files once it has more than a model takes', async () => {
  const { tenant, sessionId } = await agentChat({}, { model: 'generic-openai/mirror' });
  const imagesOf = (answer: string) => answer.split(pixel).length - 1;
  const seven = [text, ...Array.from({ length: 7 }, () => image)];
  await answerTo(sessionId, 'Hello');
  const { id } = await onlyConversation(tenant);
  await replaceMessages(tenant, id, [
    { id: 'm0', role: 'user', content: [{ ...text, text: 'First' }, note] },
    { id: 'm1', role: 'user', content: seven },
    { id: 'm2', role: 'user', content: seven },
  ]);
  const prompt = streamedText(await answerTo(sessionId, seven));
  expect(imagesOf(prompt)).toBe(20);
  expect(prompt.split('which is left out').length - 1).toBe(2);
  expect(prompt).not.toContain('a.txt');
  const { messages } = await expectStatus(200, tenant.call('GET', `/v1/conversations/${id}`));
  expect(messages[0].content).toEqual([{ ...text, text: 'First' }, note]);
});

test('files that are too large together are left out, the oldest first', () => {
  const photo = (name: string) => ({ role: 'user' as const, content: [large(name)] });
  const large = (name: string) => ({ ...image, type: 'image' as const, image: name.repeat(8_000_000) });
  const shown = keepRecentFiles(['a', 'b', 'c', 'd', 'e'].map(photo));
  expect(shown.map(({ content }) => (content[0] as { type: string }).type)).toEqual([
    'text',
    'text',
    'image',
    'image',
    'image',
  ]);
});

test('400 for more files in a message than a model takes', async () => {
  const { sessionId } = await agentChat();
  const { status, body } = await openPageStream(sessionId, [
    text,
    ...Array.from({ length: 21 }, () => image),
  ]);
  expect([status, body?.details]).toEqual([
    400,
    [
      {
        path: 'messages.0.content',
        code: 'TOO_BIG',
        message: 'A message has at most 20 images and files',
      },
    ],
  ]);
});
