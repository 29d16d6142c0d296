import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { mcpPort } from '../../../../shared/adapters/mcp-client/mcp-adapter.ts';
import { allowHost, loopback } from '../../../support/servers/loopback.ts';

type Json = Record<string, unknown>;
type Answer = (message: Json, response: ServerResponse) => unknown;

const json = (response: ServerResponse, body: unknown, { status = 200, type = 'application/json' } = {}) =>
  response.writeHead(status, { 'content-type': type }).end(JSON.stringify(body));
const result = (id: unknown, value: unknown) => ({ jsonrpc: '2.0', id, result: value });
const oslo = { content: [{ type: 'text', text: 'Oslo' }] };
const capabilities = { tools: {} };
const welcome = { protocolVersion: '2025-06-18', capabilities, serverInfo: { name: 's', version: '1' } };

/** A server that answers some requests in its own way. @returns how it answers a call of its tool, and what it was asked */
async function server(odd: Record<string, Answer>) {
  const asked: string[] = [];
  const { url } = await loopback(async (request, response) => {
    const body = await text(request);
    if (request.method !== 'POST') return response.writeHead(405).end();
    const message: Json = JSON.parse(body);
    const method = String(message.method);
    asked.push(method);
    const own = odd[method];
    if (own) return own(message, response);
    if (message.id === undefined) return response.writeHead(202).end();
    if (method === 'initialize') return json(response, result(message.id, welcome));
    if (method === 'tools/call') return json(response, result(message.id, oslo));
    const error = { code: -32_601, message: 'Method not found' };
    return json(response, { jsonrpc: '2.0', id: message.id, error });
  });
  allowHost(new URL(url).host);
  const call = () =>
    mcpPort(randomUUID()).callTool({
      url: `${url}/${randomUUID()}`,
      headers: {},
      timeoutMs: 10_000,
      signal: new AbortController().signal,
      toolName: 'where',
      args: {},
    });
  return { call, asked };
}

const answering = (value: unknown) => ({
  'tools/call': ({ id }: Json, response: ServerResponse) => json(response, result(id, value)),
});
const failing = (error: unknown, id?: null) => ({
  'tools/call': (message: Json, response: ServerResponse) =>
    json(response, { jsonrpc: '2.0', id: id === null ? null : message.id, error }),
});

test.each([
  ['content as a text', { content: 'Oslo' }, 'Oslo'],
  ['content as one block', { content: { type: 'text', text: 'Oslo' } }, 'Oslo'],
  ['content of the first version', { toolResult: 'Oslo' }, 'Oslo'],
  [
    'null members',
    { content: [{ ...oslo.content[0], annotations: null }], _meta: null, isError: null },
    'Oslo',
  ],
  ['no content', { content: null, structuredContent: null }, ''],
  ['text as an object', { content: [{ type: 'text', text: { city: 'Oslo' } }] }, '{"city":"Oslo"}'],
  ['a new block', { content: [{ type: 'map', at: 'Oslo' }] }, '{"type":"map","at":"Oslo"}'],
  ['structured content alone', { structuredContent: { city: 'Oslo' } }, { city: 'Oslo' }],
  [
    'a resource with null members',
    { content: [{ type: 'resource', resource: { uri: 'a://b', text: 'Oslo', mimeType: null } }] },
    [{ type: 'resource', uri: 'a://b', text: 'Oslo' }],
  ],
  [
    'an image without a type',
    { content: [{ type: 'image', data: 'AAAA', mimeType: null }] },
    [{ type: 'image', mimeType: 'application/octet-stream', data: 'AAAA' }],
  ],
])('a result with %s is used', async (_name, value, output) => {
  const { call } = await server(answering(value));
  expect(await call()).toEqual({ output });
});

test.each([
  ['a code that is a text', failing({ code: 'E_BAD', message: 'give a number' })],
  ['no id', failing({ code: -32_600, message: 'give a number' }, null)],
  ['a text alone', failing('give a number')],
  ['a detail', failing({ detail: [{ msg: 'give a number' }] })],
  ['structured content alone', answering({ isError: true, structuredContent: { hint: 'give a number' } })],
])('an error with %s is shown in its words', async (_name, odd) => {
  const { call } = await server(odd);
  expect(await call()).toMatchObject({ failure: expect.stringContaining('give a number') });
});

const stream = (frame: (text: string) => string) => ({
  'tools/call': ({ id }: Json, response: ServerResponse) =>
    response
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .end(frame(JSON.stringify(result(id, oslo)))),
});

test.each<[string, Record<string, Answer>]>([
  ['in a list', { 'tools/call': ({ id }, response) => json(response, [result(id, oslo)]) }],
  [
    'as a plain text',
    { 'tools/call': ({ id }, response) => json(response, result(id, oslo), { type: 'text/plain' }) },
  ],
  ['to its id as a text', { 'tools/call': ({ id }, response) => json(response, result(String(id), oslo)) }],
  ['in a stream without a blank line at its end', stream((answer) => `data: ${answer}\n`)],
  ['in a stream with empty events', stream((answer) => `id: 1\ndata:\n\ndata: ${answer}\n\n`)],
  [
    'behind a welcome without its members',
    {
      initialize: ({ id }, response) =>
        json(
          response,
          result(id, {
            protocolVersion: '2024-11-05',
            capabilities: { tools: { listChanged: null } },
            instructions: null,
          }),
        ),
    },
  ],
])('an answer %s is read', async (_name, odd) => {
  const { call } = await server(odd);
  expect(await call()).toEqual({ output: 'Oslo' });
});

test('a server that has forgotten its session is asked once more, in a new one', async () => {
  const forgetting = (times: number) => {
    let sessions = 0;
    let refusals = 0;
    return server({
      initialize({ id }, response) {
        response.setHeader('mcp-session-id', `session-${++sessions}`);
        return json(response, result(id, welcome));
      },
      'tools/call'({ id }, response) {
        if (++refusals > times) return json(response, result(id, oslo));
        return json(
          response,
          { jsonrpc: '2.0', id: null, error: { code: -32_001, message: 'Session not found' } },
          { status: 404 },
        );
      },
    });
  };
  const once = await forgetting(1);
  expect(await once.call()).toEqual({ output: 'Oslo' });
  expect(once.asked.filter((method) => method === 'initialize')).toHaveLength(2);
  const always = await forgetting(9);
  expect(await always.call()).toMatchObject({
    status: 404,
    failure: expect.stringContaining('Session not found'),
  });
  expect(always.asked.filter((method) => method === 'tools/call')).toHaveLength(2);
});
