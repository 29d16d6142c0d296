import { expect, test } from 'vitest';
import {
  ApiError,
  ConnectionError,
  createClient,
  type Schemas,
} from '../../../packages/client/src/client.ts';
import { serveHttp } from '../../support/servers/serve.ts';
import { newTenant, stack } from '../../support/stack/stack.ts';

const newClient = async () => createClient({ baseUrl: stack().url, apiKey: (await newTenant()).token });
const greeting: Schemas.FlowStepInput = { type: 'template', name: 'Greet', config: { template: 'hello' } };
const airports = (count: number) => {
  const rows = Array.from({ length: count }, (_, n) => `A${n},Place ${n}`);
  return new File([`code,city\n${rows.join('\n')}\n`], 'airports.csv');
};
const uploaded = (count: number) => ({ file: airports(count), nameColumn: 'code', typeValue: 'airport' });

test('a method fills the path, sends the body and returns what the endpoint declares', async () => {
  const client = await newClient();
  const created = await client.flows.create({ body: { name: 'A flow', flowSteps: [greeting] } });
  expect(await client.flows.get({ params: { id: created.id } })).toEqual(created);
  expect(await client.call('flows.get', { params: { id: created.id } })).toEqual(created);
});

test('a response without a body returns undefined', async () => {
  const client = await newClient();
  const { id } = await client.flows.create({ body: { name: 'A flow' } });
  expect(await client.flows.delete({ params: { id } })).toBeUndefined();
});

test('a query is optional; its numbers may be numbers, and its lists arrays', async () => {
  const client = await newClient();
  await client.flows.create({ body: { name: 'one' } });
  await client.flows.create({ body: { name: 'two' } });
  expect((await client.flows.list()).data).toHaveLength(2);
  const { data, pagination } = await client.flows.list({ query: { limit: 1, cursor: undefined } });
  expect(data.map(({ name }) => name)).toEqual(['two']);
  expect(pagination.hasMore).toBe(true);
  await client.dispatch.run({ body: { flow: { steps: [greeting] } } });
  expect((await client.runs.list({ query: { kind: ['flow', 'agent'] } })).data).toHaveLength(1);
  expect((await client.runs.list({ query: { kind: 'agent,tool' } })).data).toEqual([]);
});

test('a body with a file is sent as a form, and text comes back as text', async () => {
  const client = await newClient();
  const { created, records } = await client.records.uploadCsv({ body: uploaded(1) });
  expect(created).toBe(1);
  expect(records[0]).toMatchObject({ type: 'airport', name: 'A0', metadata: { city: 'Place 0' } });
  expect(await client.records.export({ query: { type: 'airport' } })).toContain('Place 0');
  const response = await client.send('records.export', { query: { type: 'airport' } });
  expect(response.headers.get('content-disposition')).toContain('records.csv');
});

test.each([
  ['cursors', 45, 20],
  ['exactly full pages', 40, 20],
  ['one page', 3, 20],
])('iterate yields each item of all pages once: %s', async (_, count, limit) => {
  const client = await newClient();
  await client.records.uploadCsv({ body: uploaded(count) });
  const names = new Set<string | null>();
  let items = 0;
  for await (const { name } of client.records.iterate({ query: { type: 'airport', limit } })) {
    names.add(name);
    items++;
  }
  expect([items, names.size]).toEqual([count, count]);
});

test('iterate follows offsets and page numbers too, and reads no page before it is needed', async () => {
  const requests: string[] = [];
  const client = createClient({
    baseUrl: stack().url,
    apiKey: (await newTenant()).token,
    fetch(url, init) {
      requests.push(new URL(String(url)).search);
      return fetch(url, init);
    },
  });
  const { id } = await client.flows.create({ body: { name: 'A flow', flowSteps: [greeting] } });
  const { id: recordId } = await client.records.create({ body: { type: 'thing', name: 'one' } });
  for (const _ of [1, 2, 3]) await client.dispatch.run({ body: { flow: { id }, record: { id: recordId } } });
  requests.length = 0;
  const steps = client.flows.stepResults.iterate({ params: { id }, query: { limit: 2 } });
  expect((await steps.next()).value).toMatchObject({ stepName: 'Greet' });
  expect(requests).toEqual(['?limit=2']);
  expect(await Array.fromAsync(steps)).toHaveLength(2);
  expect(requests).toEqual(['?limit=2', '?limit=2&offset=2']);
  const results = client.records.results.iterate({ params: { id: recordId }, query: { limit: 2 } });
  expect(await Array.fromAsync(results)).toHaveLength(3);
  expect(requests.slice(2)).toEqual(['?limit=2', '?limit=2&page=2']);
});

test('stream yields the events of a run; the plain method returns its end', async () => {
  const client = await newClient();
  const request = { body: { flow: { steps: [greeting] } } };
  const types: string[] = [];
  for await (const event of client.dispatch.stream(request)) types.push(event.type);
  expect(types).toEqual(['execution_start', 'step_start', 'step_complete', 'execution_complete']);
  expect(await client.dispatch.run(request)).toMatchObject({ success: true });
  const byId = await Array.fromAsync(client.stream('dispatch.run', request), ({ type }) => type);
  expect(byId).toEqual(types);
});

test('a stream that is refused throws at its first event', async () => {
  const client = await newClient();
  await expect(client.dispatch.stream({ body: {} }).next()).rejects.toBeInstanceOf(ApiError);
});

test('leaving the loop of a stream closes the connection', async () => {
  const closed = Promise.withResolvers<void>();
  const server = await serveHttp((_, response) => {
    response.on('close', closed.resolve);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('event: text_delta\nid: 1\ndata: {"type":"text_delta","delta":"ä"}\n\n');
  });
  const client = createClient({ baseUrl: server.url });
  for await (const event of client.dispatch.stream({ body: {} })) {
    expect(event).toEqual({ type: 'text_delta', delta: 'ä' });
    break;
  }
  await closed.promise;
  server.close();
});

test('events are read however the network cuts them; a connection that is lost throws', async () => {
  const bytes = new TextEncoder().encode(
    'data: {"type":"text_delta","delta":"größer"}\n\ndata: {"type":"ping"}\n\n',
  );
  const pieces = [...bytes].map((byte) => Uint8Array.of(byte));
  const body = new ReadableStream({
    pull(controller) {
      const piece = pieces.shift();
      if (piece) controller.enqueue(piece);
      else controller.error(new TypeError('terminated'));
    },
  });
  const client = createClient({ baseUrl: 'http://service', fetch: async () => new Response(body) });
  const events: unknown[] = [];
  const reading = async () => {
    for await (const event of client.dispatch.stream({ body: {} })) events.push(event);
  };
  await expect(reading()).rejects.toBeInstanceOf(ConnectionError);
  expect(events).toEqual([{ type: 'text_delta', delta: 'größer' }, { type: 'ping' }]);
});

test('each operation is asked in its own way for one response or for a stream', async () => {
  const sent: [body: unknown, accept: string | null][] = [];
  const client = createClient({
    baseUrl: 'http://service',
    async fetch(_, init) {
      sent.push([JSON.parse(String(init?.body)), new Headers(init?.headers).get('accept')]);
      return Response.json({});
    },
  });
  const params = { id: 'a', surfaceId: 'b', endpointSlug: 'c' };
  const approval = { executionId: 'e', approvalId: 'p', decision: 'approved' } as const;
  await client.dispatch.run({ body: { options: { tags: ['a'] } } });
  await Array.fromAsync(client.dispatch.stream({ body: { options: { tags: ['a'] } } }));
  await client.dispatch.approve({ body: approval });
  await Array.fromAsync(client.dispatch.approve.stream({ body: { ...approval, streamResponse: false } }));
  await client.surfaceRuns.run({ params, body: { a: 1 } });
  await Array.fromAsync(client.surfaceRuns.stream({ params, body: { a: 1 } }));
  expect(sent).toEqual([
    [{ options: { tags: ['a'], streamResponse: false } }, null],
    [{ options: { tags: ['a'] } }, 'text/event-stream'],
    [{ ...approval, streamResponse: false }, null],
    [approval, 'text/event-stream'],
    [{ a: 1 }, null],
    [{ a: 1 }, 'text/event-stream'],
  ]);
});

test('a file comes back as its bytes', async () => {
  const bytes = Uint8Array.of(0, 255, 128);
  const client = createClient({ baseUrl: 'http://service', fetch: async () => new Response(bytes) });
  const params = { tenant: 't', assetId: 'a', filename: 'f.png' };
  const file = await client.public.getFile({ params });
  expect(new Uint8Array(await file.arrayBuffer())).toEqual(bytes);
});

test('an abort ends a request, a stream and a retry with the reason of the signal', async () => {
  const server = await serveHttp((request, response) => {
    if (request.method === 'GET') response.writeHead(503).end();
  });
  const controller = new AbortController();
  const { signal } = controller;
  const client = createClient({
    baseUrl: server.url,
    pause: () => Promise.resolve(controller.abort('stopped')),
  });
  const waiting = client.flows.create({ body: { name: 'one' }, signal });
  const streaming = client.dispatch.stream({ body: {}, signal }).next();
  await expect(client.flows.list({ signal })).rejects.toBe('stopped');
  await expect(waiting).rejects.toBe('stopped');
  await expect(streaming).rejects.toBe('stopped');
  server.close();
});

test('an error has its status, code, details and request id', async () => {
  const client = await newClient();
  const error = await client.flows.create({ body: { name: '' } }).catch((caught) => caught);
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({
    operation: 'flows.create',
    status: 400,
    code: 'TOO_SMALL',
    title: 'Validation error',
    details: [{ path: 'name', code: 'TOO_SMALL' }],
    body: { error: 'Validation error' },
  });
  expect(error.message).toMatch(/^flows\.create failed with status 400: Validation error\. name: /);
  const unknown = await createClient({ baseUrl: `${stack().url}/` })
    .flows.list()
    .catch((caught) => caught);
  expect(unknown).toMatchObject({ status: 401, code: undefined });
  expect(unknown.details).toEqual([{ message: expect.any(String) }]);
});

test('path parameters are encoded, so that they cannot address another path', async () => {
  const client = await newClient();
  const reading = client.flows.get({ params: { id: '../records?limit=1' } });
  await expect(reading).rejects.toMatchObject({ status: 400 });
});

test('a key may be asked for anew for each request; public operations need none', async () => {
  const { token } = await newTenant();
  const keys = ['wrong', token];
  const client = createClient({ baseUrl: stack().url, apiKey: async () => keys.shift() });
  await expect(client.flows.list()).rejects.toMatchObject({ status: 401 });
  expect((await client.flows.list()).data).toEqual([]);
  expect((await client.docs.openapi()).openapi).toBe('3.1.0');
});

test('further headers are sent', async () => {
  const client = await newClient();
  const traceId = 'a'.repeat(32);
  const headers = { traceparent: `00-${traceId}-${'b'.repeat(16)}-01` };
  const run = await client.dispatch.run({ body: { flow: { steps: [greeting] } }, headers });
  const { executionId: id } = run as { executionId: string };
  expect((await client.runs.trace({ params: { id } })).traceId).toBe(traceId);
});
