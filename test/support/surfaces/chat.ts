import { expect } from 'vitest';
import { createScriptedAgent } from '../agents/agent-runs.ts';
import { expectStatus, publishedFlow, template } from '../flows/flows.ts';
import { readEvents } from '../stack/sse.ts';
import { call, newTenant, stack, type Tenant } from '../stack/stack.ts';
import { createToken } from './client-tokens.ts';

export const shop = 'https://shop.example.com';

/** Calls as a browser does for a page of an origin. */
export const fromPage = (path: string, body: unknown, origin: string | null = shop) =>
  call('POST', `/v1/client/${path}`, { body, headers: origin === null ? {} : { origin } });

export const openSession = (token: string, more: object = {}, origin: string | null = shop) =>
  fromPage('init', { token, ...more }, origin);

/** A tenant with a token of a flow, for pages of `shop`. */
export async function chatWorld(
  steps: object[] = [template('You said {{ messages }}', 'answer')],
  changes: object = {},
) {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, steps);
  const given = { flowIds: [flow.id], allowedOrigins: ['shop.example.com'], ...changes };
  const { clientToken, token } = await createToken(tenant, given);
  return { tenant, flow, clientToken, token: token as string, path: `/v1/client-tokens/${clientToken.id}` };
}

/** Opens a stream of a page. */
export async function openPageStream(sessionId: string, content: unknown, more: object = {}, origin = shop) {
  const hanging = new AbortController();
  const response = await fetch(`${stack().url}/v1/client/chat`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-persona-version': '4.17.0', origin },
    body: JSON.stringify({ sessionId, messages: [{ role: 'user', content }], ...more }),
    signal: hanging.signal,
  });
  const isStream = response.headers.get('content-type') === 'text/event-stream';
  const body = isStream ? undefined : await response.json();
  const events = isStream ? readEvents(response.body as ReadableStream<Uint8Array>) : undefined;
  return {
    status: response.status,
    headers: response.headers,
    body,
    events,
    response,
    hangUp: () => hanging.abort(),
  };
}

/** An event as a page gets it. Members depend on the type. */
export interface SeenEvent {
  type: string;
  seq: number;
  executionId: string;
  toolCallId: string;
  toolName: string;
  approvalId: string;
  agentId?: string;
  delta?: string;
  error?: { code: string; message: string };
}

/** All events of the answer to a message. */
export async function answerTo(sessionId: string, content: unknown, more: object = {}): Promise<SeenEvent[]> {
  const { status, body, events } = await openPageStream(sessionId, content, more);
  expect(status, JSON.stringify(body)).toBe(200);
  return (await Array.fromAsync(events ?? [])).map(({ data }) => data as unknown as SeenEvent);
}

/** A session of an agent that repeats the last message, or follows its script. */
export async function agentChat(changes: object = {}, agentConfig: object = {}) {
  const tenant = await newTenant();
  const agent = await createScriptedAgent(tenant, agentConfig);
  const given = { agentIds: [agent.id], allowedOrigins: ['shop.example.com'], ...changes };
  const { clientToken, token } = await createToken(tenant, given);
  const { sessionId } = await expectStatus(200, openSession(token));
  return { tenant, agent, clientToken, token: token as string, sessionId: sessionId as string };
}

/** The only conversation of a tenant, with its messages. */
export async function onlyConversation({ call: as }: Pick<Tenant, 'call'>) {
  const { conversations } = await expectStatus(200, as('GET', '/v1/conversations'));
  expect(conversations).toHaveLength(1);
  return expectStatus(200, as('GET', `/v1/conversations/${conversations[0].id}`));
}

// biome-ignore lint/suspicious/noExplicitAny: tests check what it is
type Body = any;

/** The last event of an answer. */
export const lastEvent = (events: readonly SeenEvent[]) => events.at(-1) as SeenEvent;

/** All events of the response to a continuation: `resume` or `approve`. */
export async function continued(path: 'resume' | 'approve', body: object, origin = shop) {
  const response = await fetch(`${stack().url}/v1/client/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify(body),
  });
  const isStream = response.headers.get('content-type') === 'text/event-stream';
  if (!isStream) return { status: response.status, body: (await response.json()) as Body, events: [] };
  const events = await Array.fromAsync(readEvents(response.body as ReadableStream<Uint8Array>));
  return {
    status: response.status,
    body: undefined as Body,
    events: events.map(({ data }) => data as unknown as SeenEvent),
  };
}

export const streamedText = (events: { type: string; delta?: string }[]) =>
  events.flatMap(({ type, delta }) => (type === 'text_delta' ? [delta] : [])).join('');

/** Reads as a page does that has a session. */
export const getAsPage = (path: string, sessionId: string, headers: Record<string, string> = {}) =>
  call('GET', `/v1/client/${path}`, {
    headers: { origin: shop, authorization: `Bearer ${sessionId}`, ...headers },
  });

/** The frames of an answer after an event, as a page that lost the connection gets them. */
export async function framesOfPage(sessionId: string, executionId: string, after?: string) {
  const query = after === undefined ? '' : `?after=${encodeURIComponent(after)}`;
  const response = await fetch(`${stack().url}/v1/client/executions/${executionId}/events${query}`, {
    headers: { origin: shop, authorization: `Bearer ${sessionId}` },
  });
  expect(response.status).toBe(200);
  return Array.fromAsync(readEvents(response.body as ReadableStream<Uint8Array>));
}

export const eventsOfPage = async (sessionId: string, executionId: string, after?: string) =>
  (await framesOfPage(sessionId, executionId, after)).map(({ data }) => data as unknown as SeenEvent);
