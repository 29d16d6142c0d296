import type { ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { a2aPort } from '../../../../shared/adapters/a2a-client/a2a-adapter.ts';
import { allowHost, loopback } from '../../../support/servers/loopback.ts';

type Json = Record<string, unknown>;
type Asked = { id: number; method: string };
type Answer = (asked: Asked, response: ServerResponse) => unknown;

const ids = { taskId: 't1', contextId: 'c1' };
const parts = [{ kind: 'text', text: 'Oslo' }];
const message: Json = { kind: 'message', role: 'agent', messageId: 'm1', parts };
const artifact: Json = { kind: 'artifact-update', ...ids, artifact: { artifactId: 'a', parts } };
const status = (state: string): Json => ({ kind: 'status-update', ...ids, status: { state }, final: true });
const task = {
  kind: 'task',
  id: 't1',
  contextId: 'c1',
  status: { state: 'completed' },
  artifacts: [artifact.artifact],
};
const without = (value: Json, name: string) => ({ ...value, [name]: undefined });

const json = (response: ServerResponse, body: Json, code = 200) =>
  response
    .writeHead(code, { 'content-type': 'application/json' })
    .end(JSON.stringify({ jsonrpc: '2.0', ...body }));
const stream =
  (...results: Json[]): Answer =>
  ({ id }, response) =>
    response
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .end(results.map((result) => `data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}`).join('\n\n'));
const failing =
  (error: unknown): Answer =>
  ({ id }, response) =>
    json(response, { id, error });

/** What an agent of A2A 0.3 says that answers in its own way. */
async function answerOf(answer: Answer) {
  const { url } = await loopback(async (request, response) => {
    const asked: Asked = JSON.parse(await text(request));
    if (asked.method === 'tasks/get') return json(response, { id: asked.id, result: task });
    return answer(asked, response);
  });
  allowHost(new URL(url).host);
  const events = await Array.fromAsync(
    a2aPort.send({
      agent: { url, protocolVersion: '0.3.0', streaming: true },
      headers: {},
      parts: [{ text: 'Hi' }],
      timeoutMs: 10_000,
      retries: 0,
      signal: new AbortController().signal,
    }),
  );
  return events.at(-1);
}

const noSuchMethod = { code: -32_601, message: 'Method not found' };

test.each<[string, Answer]>([
  ['a message without its kind', stream(without(message, 'kind'))],
  ['a task without its kind', stream(without(task, 'kind'))],
  ['updates without their kinds', stream(without(artifact, 'kind'), without(status('completed'), 'kind'))],
  ['a part without its kind', stream({ ...message, parts: [{ text: 'Oslo' }] })],
  ['a part with a type', stream({ ...message, parts: [{ type: 'text', text: 'Oslo' }] })],
  [
    'a part of an unknown kind beside the text',
    stream({ ...message, parts: [{ kind: 'map', at: 1 }, ...parts] }),
  ],
  ['a message without its id', stream(without(message, 'messageId'))],
  ['another role', stream({ ...message, role: 'assistant' })],
  [
    'null members',
    stream({ ...task, history: null, metadata: null, status: { state: 'completed', message: null } }),
  ],
  ['an event of an unknown kind', stream({ kind: 'mood', ...ids }, message)],
  ['the end before the result', stream(status('completed'))],
  ['one JSON in place of a stream', ({ id }, response) => json(response, { id, result: task })],
  ['its id as a text', ({ id }, response) => json(response, { id: String(id), result: task })],
  [
    'no method for streams',
    ({ id, method }, response) =>
      json(response, method === 'message/send' ? { id, result: task } : { id, error: noSuchMethod }),
  ],
])('an agent that answers with %s is understood', async (_name, answer) => {
  expect(await answerOf(answer)).toMatchObject({ type: 'end', state: 'completed', text: 'Oslo' });
});

test.each<[string, unknown]>([
  ['a text', 'the queue is full'],
  ['a code that is a text', { code: 'E_FULL', message: 'the queue is full' }],
  ['words in its data', { code: -32_603, message: 'Internal error', data: { detail: 'the queue is full' } }],
])('an error with %s is shown in its words', async (_name, error) => {
  expect(await answerOf(failing(error))).toMatchObject({
    type: 'failure',
    failure: expect.stringContaining('the queue is full'),
  });
});
