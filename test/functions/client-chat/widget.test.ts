import {
  AgentWidgetClient,
  type AgentWidgetMessage,
  type RuntypeClientChatRequest,
  type RuntypeClientChatStreamEvent,
  type RuntypeClientInitResponse,
} from '@runtypelabs/persona';
import { expect, expectTypeOf, test } from 'vitest';
import type * as z from 'zod';
import type { ChatBody, OpenedSession } from '../../../functions/client-chat/schemas.ts';
import { pageToolSetEntity } from '../../../shared/domain/client-sessions/page-tool.ts';
import { hashKey } from '../../../shared/platform/auth/key-format.ts';
import type { ClientEvent } from '../../../shared/protocols/chat/events/client-event.ts';
import { calls, scripted } from '../../support/agents/agent-runs.ts';
import { template } from '../../support/flows/flows.ts';
import { countingRuntime, stack } from '../../support/stack/stack.ts';
import { agentChat, chatWorld, onlyConversation } from '../../support/surfaces/chat.ts';

// Programs outside of browsers send no origin.
const everywhere = { allowedOrigins: ['*'] };
const userMessage = (id: string, content: string) => ({
  id,
  role: 'user' as const,
  content,
  createdAt: new Date().toISOString(),
});

/** Sends a message as the widget does. @returns the text of the answer and the last status. */
async function send(client: AgentWidgetClient, id: string, content: string) {
  const messages = new Map<string, string>();
  const statuses: string[] = [];
  await client.dispatch({ messages: [userMessage(id, content)], assistantMessageId: `a-${id}` }, (event) => {
    if (event.type === 'message') messages.set(event.message.id, event.message.content);
    if (event.type === 'status') statuses.push(event.status);
    if (event.type === 'error') throw event.error;
  });
  return { messages: Object.fromEntries(messages), last: statuses.at(-1) };
}

test('the client of the widget talks to an agent, and keeps its session', async () => {
  const { tenant, agent, token } = await agentChat(everywhere);
  const client = new AgentWidgetClient({ apiUrl: stack().url, clientToken: token });
  const session = await client.initSession();
  expect(session.flow).toMatchObject({ id: agent.id, name: 'Agent' });
  const first = await send(client, 'u1', 'Hello');
  expect(first).toEqual({ messages: { 'a-u1': 'You said: Hello' }, last: 'idle' });
  await send(client, 'u2', 'Again');
  expect((await onlyConversation(tenant)).messages).toMatchObject([
    { id: 'u1', content: 'Hello' },
    { id: 'a-u1', content: 'You said: Hello' },
    { id: 'u2', content: 'Again' },
    { id: 'a-u2', content: 'You said: Again' },
  ]);
});

test('the client of the widget shows the output of a flow that streams nothing', async () => {
  const { token } = await chatWorld([template('We are closed', 'answer')], everywhere);
  const client = new AgentWidgetClient({ apiUrl: stack().url, clientToken: token });
  expect(Object.values((await send(client, 'u1', 'Hello')).messages)).toEqual(['We are closed']);
});

test('the client of the widget executes its own tool and resumes the answer', async () => {
  const config = { clientTools: ['ask_user_question'] };
  const { tenant, token } = await agentChat({ ...everywhere, config });
  const features = { askUserQuestion: { expose: true } };
  const client = new AgentWidgetClient({ apiUrl: stack().url, clientToken: token, features });
  const tools: AgentWidgetMessage[] = [];
  const texts = new Map<string, string>();
  const onEvent: Parameters<typeof client.dispatch>[1] = (event) => {
    if (event.type === 'error') throw event.error;
    if (event.type !== 'message') return;
    if (event.message.variant === 'tool') tools.push(event.message);
    else texts.set(event.message.id, event.message.content);
  };
  const questions = [{ question: 'Tea?', options: [{ label: 'Yes' }, { label: 'No' }] }];
  const script = scripted(calls(['ask_user_question', { questions }]), { text: 'Tea it is' });
  const ask = async (id: string) => {
    const messages = [userMessage(id, script)];
    await client.dispatch({ messages, assistantMessageId: `a-${id}` }, onEvent);
    const { agentMetadata, toolCall } = tools.at(-1) as AgentWidgetMessage;
    expect(agentMetadata).toMatchObject({ awaitingLocalTool: true, webMcpToolCallId: toolCall?.id });
    expect(toolCall).toMatchObject({ name: 'ask_user_question', args: { questions } });
    const outputs = { [toolCall?.id as string]: { 'Tea?': 'Yes' } };
    const response = await client.resumeFlow(agentMetadata?.executionId as string, outputs);
    expect(response.status).toBe(200);
    await client.processStream(response.body as ReadableStream<Uint8Array>, onEvent, `a-${id}`);
  };
  await ask('u1');
  expect(texts.get('a-u1')).toBe('Tea it is');
  const { messages } = await onlyConversation(tenant);
  expect(messages.at(-1)).toMatchObject({ id: 'a-u1', content: 'Tea it is' });
});

test('the client of the widget sends its tools again if the session no longer has them', async () => {
  const { tenant, token } = await agentChat({ ...everywhere, config: { clientTools: true } });
  const features = { askUserQuestion: { expose: true } };
  const client = new AgentWidgetClient({ apiUrl: stack().url, clientToken: token, features });
  await send(client, 'u1', 'Hello');
  const { sessionId } = client.getClientSession() as { sessionId: string };
  const { table } = countingRuntime().scopeOf(tenant.tenant);
  await table.commit([table.writes.remove(pageToolSetEntity, { hash: hashKey(sessionId) })]);
  expect((await send(client, 'u2', 'Again')).messages).toEqual({ 'a-u2': 'You said: Again' });
});

test('the types of the widget fit', () => {
  expectTypeOf<z.output<typeof OpenedSession>['flow']>().toExtend<
    NonNullable<RuntypeClientInitResponse['flow']>
  >();
  expectTypeOf<Pick<RuntypeClientChatRequest, 'messages' | 'submitMode' | 'turnId'>>().toExtend<
    Pick<z.input<typeof ChatBody>, 'messages' | 'submitMode' | 'turnId'>
  >();
  expectTypeOf<ClientEvent['type']>().toExtend<RuntypeClientChatStreamEvent['type']>();
});
