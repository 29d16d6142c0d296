import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, expect, test } from 'vitest';
import { type ChatRequest, startModelStandIn } from '../../../examples/model-stand-in.ts';
import { createClient } from '../../../packages/client/src/client.ts';
import { scriptedAnswer } from '../../support/models/scripted-model.ts';
import { killAll, newDirectory, start } from '../../support/stack/processes.ts';
import { readEvents } from '../../support/stack/sse.ts';

const models = await startModelStandIn({ answer: (request: ChatRequest) => scriptedAnswer(request) });
afterAll(() => models.close());
afterEach(killAll);

const origin = 'https://shop.example.com';
const headersOf = (more: object = {}) => ({ origin, 'content-type': 'application/json', ...more });
const post = (url: string, path: string, body: object) =>
  fetch(`${url}/v1/client/${path}`, { method: 'POST', headers: headersOf(), body: JSON.stringify(body) });

type Started = Awaited<ReturnType<typeof start>>;

/** Kills the stack after the first event of an answer. @returns that event's place. */
async function killedWhileAnswering({ facts, child }: Started, message: object) {
  models.options.misbehave = 'hang';
  const { body } = await post(facts.url, 'chat', message);
  const events = readEvents(body as ReadableStream<Uint8Array>);
  const { value: first } = await events.next();
  await sleep(300);
  child.kill('SIGKILL');
  await events.next().catch(() => {});
  delete models.options.misbehave;
  return { executionId: first?.data.executionId as string, after: String(first?.id) };
}

/** The events of an answer after a place. */
async function restOf(
  { facts }: Started,
  sessionId: string,
  { executionId, after }: Awaited<ReturnType<typeof killedWhileAnswering>>,
) {
  const path = `/v1/client/executions/${executionId}/events?after=${encodeURIComponent(after)}`;
  const headers = headersOf({ authorization: `Bearer ${sessionId}` });
  const { body } = await fetch(`${facts.url}${path}`, { headers });
  const events = await Array.fromAsync(readEvents(body as ReadableStream<Uint8Array>));
  return events.map(({ data }) => data);
}

test('an answer goes on after kill -9 in its middle: the page follows it, and the conversation has it', async () => {
  const environment = { DATA_DIR: newDirectory(), GENERIC_OPENAI_BASE_URL: models.url };
  const former = await start(environment);
  const client = createClient({ baseUrl: former.facts.url, apiKey: former.facts.liveKey });
  const { call } = client;
  const config = { model: 'generic-openai/any', loopConfig: { maxTurns: 5 } };
  const { id } = await call('agents.create', { body: { name: 'Chat', config } });
  const { token } = await call('client-tokens.create', {
    body: { name: 'Shop', agentIds: [id], allowedOrigins: ['shop.example.com'] },
  });
  const { sessionId } = await (await post(former.facts.url, 'init', { token })).json();

  const message = {
    sessionId,
    messages: [{ id: 'u1', role: 'user', content: 'Hello' }],
    assistantMessageId: 'a1',
  };
  const cutOff = await killedWhileAnswering(former, message);
  const stack = await start(environment);

  const rest = await restOf(stack, sessionId, cutOff);
  expect(rest.find(({ type }) => type === 'text_delta')).toMatchObject({ delta: 'You said: Hello' });
  expect(rest.at(-1)).toMatchObject({ type: 'execution_complete', success: true });
  const opened = await (await post(stack.facts.url, 'init', { token, sessionId })).json();
  expect(opened.conversation.messages).toMatchObject([
    { id: 'u1', content: 'Hello' },
    { id: 'a1', content: 'You said: Hello' },
  ]);
  expect(
    (await post(stack.facts.url, 'chat', { sessionId, messages: [{ role: 'user', content: 'x' }] })).status,
  ).toBe(200);
});

test('kill -9 in the middle of the answer of a flow: its reader is told that it failed, and the session is free', async () => {
  const environment = { DATA_DIR: newDirectory(), GENERIC_OPENAI_BASE_URL: models.url };
  const former = await start(environment);
  const { call } = createClient({ baseUrl: former.facts.url, apiKey: former.facts.liveKey });
  const config = { model: 'generic-openai/any', userPrompt: 'Hello', outputVariable: 'answer' };
  const flowSteps = [{ type: 'prompt', name: 'Answers', config }];
  const { id } = await call('flows.create', { body: { name: 'Chat', flowSteps } as never });
  await call('flows.publish', { params: { id } } as never);
  const { token } = await call('client-tokens.create', {
    body: { name: 'Shop', flowIds: [id], allowedOrigins: ['shop.example.com'] },
  });
  const { sessionId } = await (await post(former.facts.url, 'init', { token })).json();

  const message = { sessionId, messages: [{ id: 'u1', role: 'user', content: 'Hello' }] };
  const cutOff = await killedWhileAnswering(former, message);
  const stack = await start(environment);

  const since = Date.now();
  const opened = await (await post(stack.facts.url, 'init', { token, sessionId })).json();
  expect(opened.conversation.messages).toMatchObject([{ id: 'u1' }]);
  const rest = await restOf(stack, sessionId, cutOff);
  expect(rest.map(({ type, error }) => [type, (error as { code: string }).code])).toEqual([
    ['execution_error', 'FAILED'],
  ]);
  expect(Date.now() - since).toBeLessThan(12_000);
  const again = await (await post(stack.facts.url, 'init', { token, sessionId })).json();
  expect(again.executionId).toBeNull();
  const next = await post(stack.facts.url, 'chat', { sessionId, messages: [{ role: 'user', content: 'x' }] });
  const answer = await Array.fromAsync(readEvents(next.body as ReadableStream<Uint8Array>));
  expect(answer.at(-1)?.data.type).toBe('execution_complete');
});
