import { expect, test } from 'vitest';
import { calls, scripted } from '../../support/agents/agent-runs.ts';
import { expectStatus, template } from '../../support/flows/flows.ts';
import { eventually } from '../../support/stack/eventually.ts';
import {
  agentChat,
  answerTo,
  chatWorld,
  fromPage,
  lastEvent,
  onlyConversation,
  openSession,
} from '../../support/surfaces/chat.ts';

/** Half of a surrogate pair: a JavaScript string may have it, UTF-8 has not. */
const half = 'a\ud800b';
const search = { name: 'search', description: 'Searches', parametersSchema: { type: 'object' } };
const asked = (content: unknown, more: object = {}) => ({ messages: [{ role: 'user', content }], ...more });
const text = { type: 'text', text: 'Hello' };
const file = {
  type: 'file',
  data: `data:text/plain;base64,${btoa('Hi')}`,
  filename: 'a.txt',
  mimeType: 'text/plain',
};
const open = { config: { clientTools: true }, rateLimitPerMinute: 1_000 };

/** The history of the page after the request. */
async function history(token: string, sessionId: string) {
  const { conversation } = await expectStatus(200, openSession(token, { sessionId }));
  return conversation?.messages ?? [];
}

test.each([
  ['a text', asked(half)],
  ['the text of a part', asked([{ type: 'text', text: half }])],
  ['the name of a file', asked([text, { ...file, filename: half }])],
  ['the data of a file', asked([text, { ...file, data: half }])],
  ['the data of a data URL', asked([text, { ...file, data: `${file.data}${half}` }])],
  ['the type of a data URL', asked([text, { ...file, data: `data:text/${half};base64,SGk=` }])],
  ['an image', asked([text, { type: 'image', image: `data:image/png;base64,${half}` }])],
  ['a media type', asked([text, { ...file, mimeType: half }])],
  ['reasoning', asked([text, { type: 'reasoning', text: half }])],
  ['metadata', asked('Hello', { metadata: { page: half, [half]: { [half]: [half] } } })],
  ['an input', asked('Hello', { inputs: { page: half, more: { [half]: half } } })],
  ['the name of an input', asked('Hello', { inputs: { [half]: 1 } })],
  ['the id of a turn', asked('Hello', { turnId: half })],
  ['a tool', asked('Hello', { clientTools: [{ ...search, description: half }] })],
  [
    'the schema of a tool',
    asked('Hello', { clientTools: [{ ...search, parametersSchema: { type: 'object', title: half } }] }),
  ],
])('half of a surrogate pair in %s: answered, or refused with its place, and readable', async (_, body) => {
  for (const { token, sessionId, tenant } of [await agentChat(open), await flowChat()]) {
    const { status, body: response } = await fromPage('chat', { sessionId, ...body });
    expect([200, 400], JSON.stringify(response)).toContain(status);
    if (status === 400) {
      expect(response.details[0].path).toMatch(/^(messages|inputs|clientTools)/);
      continue;
    }
    await eventually(async () => expect(await history(token, sessionId)).toHaveLength(2));
    const { messages, title } = await onlyConversation(tenant);
    expect(messages).toHaveLength(2);
    expect(title.isWellFormed()).toBe(true);
    const [message] = body.messages;
    if (message?.content === half) expect(messages[0].content).toBe(half);
  }
});

/** A session of a flow that tells the texts and the inputs that it gets. */
async function flowChat() {
  const { tenant, token } = await chatWorld([template('{{ page }} {{ messages }}', 'answer')], open);
  const { sessionId } = await expectStatus(200, openSession(token));
  return { tenant, token, sessionId: sessionId as string };
}

test.each([
  ['the output of a tool', (id: string) => ({ toolOutputs: { [id]: half } })],
  ['within the output of a tool', (id: string) => ({ toolOutputs: { [id]: { [half]: [half] } } })],
  ['the name of an output', (id: string) => ({ toolOutputs: { [id]: 1, [half]: 1 } })],
  ['a text', (id: string) => ({ toolOutputs: { [id]: 1 }, ...asked(half) })],
])('half of a surrogate pair in %s of a continuation', async (_, given) => {
  const { sessionId, token } = await agentChat(open);
  const script = scripted(calls(['search']), { text: 'The end' });
  const { executionId, toolCallId } = lastEvent(await answerTo(sessionId, script, { clientTools: [search] }));
  const request = { sessionId, executionId, streamResponse: false, ...given(toolCallId) };
  const { status, body } = await fromPage('resume', request);
  expect([status, body.result], JSON.stringify(body)).toEqual([200, 'The end']);
  expect((await history(token, sessionId)).at(-1)).toMatchObject({ content: 'The end' });
});

test.each([
  [{ comment: half }, 400],
  [{ metadata: { [half]: half } }, 201],
])('half of a surrogate pair in feedback: %j', async (given, expected) => {
  const { tenant, sessionId } = await agentChat();
  await answerTo(sessionId, 'Hello', { assistantMessageId: 'a1' });
  const body = { sessionId, type: 'upvote', messageId: 'a1', ...given };
  await expectStatus(expected, fromPage('feedback', body));
  const { feedback } = await onlyConversation(tenant);
  expect(feedback).toHaveLength(expected === 201 ? 1 : 0);
});

test.each([
  [{ title: half }, 400],
  [{ metadata: { [half]: half } }, 200],
  [{ messages: [{ id: 'm1', role: 'user', content: half }] }, 200],
  [{ messages: [{ id: 'm1', role: 'user', content: [{ ...file, filename: half }] }] }, 200],
  [{ messages: [{ id: half, role: 'user', content: 'Hi' }] }, 400],
])('half of a surrogate pair in a change of a conversation: %j', async (given, expected) => {
  const { tenant, sessionId } = await agentChat();
  await answerTo(sessionId, 'Hello');
  const { id } = await onlyConversation(tenant);
  await expectStatus(expected, tenant.call('PUT', `/v1/conversations/${id}`, { body: given }));
  if (expected === 200) expect(await onlyConversation(tenant)).toMatchObject(given);
});

test.each([{ token: half }, { surfaceId: half }, { flowId: half }, { sessionId: half }])(
  'half of a surrogate pair in init: %j',
  async (given) => {
    const { token } = await agentChat();
    const own = 'token' in given || 'surfaceId' in given ? {} : { token };
    const { status } = await fromPage('init', { ...own, ...given });
    expect(status).toBeLessThan(500);
  },
);
