import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, expectTypeOf, test } from 'vitest';
import {
  type AnswerOf,
  createClient,
  type EventOf,
  type RequestOf,
  ResponseError,
  type Route,
  type StreamingRoute,
} from '../../functions/client.ts';
import { newTenant, stack } from '../support/stack.ts';

const newClient = async () => createClient({ baseUrl: stack().url, token: (await newTenant()).token });
const greeting = { type: 'template', name: 'Greet', config: { template: 'hello' } };

test('a call fills the path, sends the body and returns what the endpoint declares', async () => {
  const { call } = await newClient();
  const created = await call('POST /v1/flows', { body: { name: 'A flow', flowSteps: [greeting] } });
  const flow = await call('GET /v1/flows/{id}', { params: { id: created.id } });
  expect(flow).toEqual(created);
  expectTypeOf(flow.flowSteps[0]?.name).toEqualTypeOf<string | undefined>();
  expectTypeOf(flow.description).toEqualTypeOf<string | null>();
});

test('a response without a body returns undefined', async () => {
  const { call } = await newClient();
  const { id } = await call('POST /v1/flows', { body: { name: 'A flow' } });
  expect(await call('DELETE /v1/flows/{id}', { params: { id } })).toBeUndefined();
});

test('a query is optional, and its numeric parameters accept numbers', async () => {
  const { call } = await newClient();
  await call('POST /v1/flows', { body: { name: 'one' } });
  await call('POST /v1/flows', { body: { name: 'two' } });
  expect((await call('GET /v1/flows')).data).toHaveLength(2);
  const { data, pagination } = await call('GET /v1/flows', { query: { limit: 1, cursor: undefined } });
  expect(data.map(({ name }) => name)).toEqual(['two']);
  expect(pagination.hasMore).toBe(true);
});

test('a body with a file is sent as a form', async () => {
  const { call } = await newClient();
  const file = new File(['code,city\nOSL,Oslo\n'], 'airports.csv');
  const body = { file, nameColumn: 'code', typeValue: 'airport', typeColumn: undefined };
  const { created, records } = await call('POST /v1/records/upload-csv', { body });
  expect(created).toBe(1);
  expect(records[0]).toMatchObject({ type: 'airport', name: 'OSL', metadata: { city: 'Oslo' } });
});

test('events arrive as they are emitted, with their types; an error response throws', async () => {
  const { events } = await newClient();
  const types: string[] = [];
  for await (const event of events('POST /v1/dispatch', { body: { flow: { steps: [greeting] } } })) {
    types.push(event.type);
    if (event.type === 'step_complete') expectTypeOf(event.success).toEqualTypeOf<boolean>();
  }
  expect(types).toEqual(['execution_start', 'step_start', 'step_complete', 'execution_complete']);
  const refused = events('POST /v1/dispatch', { body: {} });
  await expect(refused.next()).rejects.toMatchObject({ status: 400 });
});

test('an error response throws with its status and body', async () => {
  const { call } = await newClient();
  const failing = call('POST /v1/flows', { body: { name: '' } });
  await expect(failing).rejects.toBeInstanceOf(ResponseError);
  await expect(failing).rejects.toMatchObject({
    status: 400,
    body: { error: 'Validation error', details: [{ path: 'name' }] },
    message: expect.stringContaining('POST /v1/flows failed with status 400: {"error":"Validation error"'),
  });
});

test('path parameters are encoded, so that they cannot address another path', async () => {
  const { call } = await newClient();
  const reading = call('GET /v1/flows/{id}', { params: { id: '../records?limit=1' } });
  await expect(reading).rejects.toMatchObject({ status: 400 });
});

/** A client whose requests fail before they are answered, as its script says, and then reach the stack. */
async function clientWith(failures: (() => Response)[], { lostAnswers = 0 } = {}) {
  const sent: { key: string | null; body: unknown }[] = [];
  let lost = lostAnswers;
  const client = createClient({
    baseUrl: stack().url,
    token: (await newTenant()).token,
    async fetch(url, init) {
      sent.push({ key: new Headers(init?.headers).get('idempotency-key'), body: init?.body });
      const failure = failures.shift();
      if (failure) return failure();
      const response = await fetch(url, init);
      if (lost-- > 0) throw new TypeError('fetch failed');
      return response;
    },
  });
  return { ...client, sent };
}
const status =
  (code: number, headers = {}) =>
  () =>
    new Response('{}', { status: code, headers });

test('a POST has a key of its own, which its retries keep', async () => {
  const { call, sent } = await clientWith([status(500), status(429, { 'retry-after': '1' })]);
  await call('POST /v1/flows', { body: { name: 'one' } });
  await call('POST /v1/flows', { body: { name: 'two' } });
  const [first, second, third, other] = sent.map(({ key }) => key);
  expect(first).toMatch(/^[0-9a-f]{32}$/);
  expect([second, third]).toEqual([first, first]);
  expect(other).not.toBe(first);
});

test('a POST whose answer was lost is sent again, and creates once', async () => {
  const { call } = await clientWith([], { lostAnswers: 1 });
  const flow = await call('POST /v1/flows', { body: { name: 'one' } });
  expect((await call('GET /v1/flows')).data.map(({ id }) => id)).toEqual([flow.id]);
});

test('a form is sent again as it was', async () => {
  const { call, sent } = await clientWith([], { lostAnswers: 1 });
  const file = new File(['code,city\nOSL,Oslo\n'], 'airports.csv');
  const body = { file, nameColumn: 'code', typeValue: 'airport' };
  expect((await call('POST /v1/records/upload-csv', { body })).created).toBe(1);
  expect(sent).toHaveLength(2);
});

test.each([400, 404, 409, 422])('a %i is not sent again', async (code) => {
  const { call, sent } = await clientWith([status(code)]);
  await expect(call('POST /v1/flows', { body: { name: 'one' } })).rejects.toMatchObject({ status: code });
  expect(sent).toHaveLength(1);
});

test('other methods have no key, and are sent once', async () => {
  const { call, sent } = await clientWith([status(500)]);
  await expect(call('GET /v1/flows')).rejects.toMatchObject({ status: 500 });
  expect(sent).toMatchObject([{ key: null }]);
});

test('a caller may give the key', async () => {
  const { call } = await newClient();
  const [first, again] = await Promise.all(
    ['one', 'one'].map((name) => call('POST /v1/flows', { body: { name }, idempotencyKey: 'mine' })),
  );
  expect(again).toEqual(first);
});

test('the client reads the API document without a credential', async () => {
  const { call } = createClient({ baseUrl: `${stack().url}/` });
  expect((await call('GET /openapi.json')).openapi).toBe('3.1.0');
  await expect(call('GET /v1/flows')).rejects.toMatchObject({ status: 401 });
});

test('routes, requests and responses have the declared types', () => {
  expectTypeOf<'GET /v1/flows'>().toExtend<Route>();
  expectTypeOf<'GET /v1/nothing'>().not.toExtend<Route>();
  expectTypeOf<object>().toExtend<RequestOf<'GET /v1/flows'>>();
  expectTypeOf<object>().not.toExtend<RequestOf<'GET /v1/flows/{id}'>>();
  expectTypeOf<RequestOf<'GET /v1/flows/{id}'>['params']>().toEqualTypeOf<{ id: string }>();
  expectTypeOf<RequestOf<'GET /v1/flows/{id}'>>().not.toHaveProperty('body');
  expectTypeOf<RequestOf<'POST /v1/records/upload-csv'>['body']['file']>().toEqualTypeOf<File>();
  type Run = AnswerOf<'POST /v1/flows/{id}/run-on-record-type'>;
  expectTypeOf<Run['status']>().toEqualTypeOf<'completed' | 'scheduled'>();
  expectTypeOf<Extract<Run, { status: 'completed' }>['successCount']>().toEqualTypeOf<number>();
});

test('each kind of response has its type, and only server-sent events yield events', () => {
  expectTypeOf<string>().toExtend<AnswerOf<'GET /v1/records/export'>>();
  expectTypeOf<AnswerOf<'DELETE /v1/flows/{id}'>>().toEqualTypeOf<void>();
  expectTypeOf<AnswerOf<'POST /v1/dispatch'>['executionId']>().toEqualTypeOf<string>();
  expectTypeOf<StreamingRoute>().toEqualTypeOf<
    | 'POST /v1/dispatch'
    | 'POST /v1/dispatch/resume'
    | 'POST /v1/dispatch/approve'
    | 'POST /v1/dispatch/continue'
    | 'POST /v1/agents/{id}/execute'
    | 'POST /v1/agents/{id}/resume'
    | 'POST /v1/agents/{id}/approve'
    | 'GET /v1/agents/{id}/executions/{executionId}/events'
    | 'POST /v1/products/{id}/surfaces/{surfaceId}/run/{endpointSlug}'
    | 'POST /v1/client/chat'
    | 'POST /v1/openai/chat/completions'
    | 'POST /v1/openai/responses'
    | 'POST /v1/client/resume'
    | 'POST /v1/client/approve'
    | 'GET /v1/client/executions/{executionId}/events'
  >();
  expectTypeOf<EventOf<'POST /v1/dispatch'>['seq']>().toEqualTypeOf<number>();
  expectTypeOf<EventOf<'GET /v1/records/export'>>().toEqualTypeOf<never>();
});

test('a bundle with the client contains nothing else of the service', async () => {
  const client = fileURLToPath(import.meta.resolve('../../functions/client.ts'));
  const { metafile } = await build({
    entryPoints: [client],
    bundle: true,
    write: false,
    metafile: true,
    platform: 'browser',
    format: 'esm',
  });
  const own = Object.keys(metafile.inputs).filter((path) => !path.includes('eventsource-parser'));
  expect(own).toEqual([expect.stringMatching(/functions\/client\.ts$/)]);
});
