import { expect, test } from 'vitest';
import { ConnectionError, createClient } from '../../../packages/client/src/client.ts';
import { newTenant, stack } from '../../support/stack/stack.ts';

interface Sent {
  key: string | null;
  body: unknown;
}
type Outcome = () => Response | Promise<Response>;

/** A client whose requests first meet the outcomes of a script, and then reach the stack. */
async function clientWith(outcomes: Outcome[], { lostAnswers = 0, retries = 2 } = {}) {
  const sent: Sent[] = [];
  const pauses: number[] = [];
  let lost = lostAnswers;
  const client = createClient({
    baseUrl: stack().url,
    apiKey: (await newTenant()).token,
    retries,
    pause: async (ms) => void pauses.push(ms),
    async fetch(url, init) {
      sent.push({ key: new Headers(init?.headers).get('idempotency-key'), body: init?.body });
      const outcome = outcomes.shift();
      if (outcome) return outcome();
      const response = await fetch(url, init);
      if (lost-- > 0) throw new TypeError('fetch failed');
      return response;
    },
  });
  return { client, sent, pauses };
}

const status =
  (code: number, headers = {}, body = '{}'): Outcome =>
  () =>
    new Response(body, { status: code, headers });
const unreachable: Outcome = () => Promise.reject(new TypeError('fetch failed'));

test('a POST has a key of its own, which its retries keep', async () => {
  const { client, sent, pauses } = await clientWith([status(500), status(429, { 'retry-after': '2' })]);
  await client.flows.create({ body: { name: 'one' } });
  await client.flows.create({ body: { name: 'two' } });
  const [first, second, third, other] = sent.map(({ key }) => key);
  expect(first).toMatch(/^[0-9a-f]{32}$/);
  expect([second, third]).toEqual([first, first]);
  expect(other).not.toBe(first);
  expect(pauses).toEqual([500, 2_000]);
});

test('a POST whose response was lost is sent again, and creates once', async () => {
  const { client } = await clientWith([], { lostAnswers: 1 });
  const flow = await client.flows.create({ body: { name: 'one' } });
  expect((await client.flows.list()).data.map(({ id }) => id)).toEqual([flow.id]);
});

test('a form is sent again as it was', async () => {
  const { client, sent } = await clientWith([], { lostAnswers: 1 });
  const file = new File(['code,city\nOSL,Oslo\n'], 'airports.csv');
  const body = { file, nameColumn: 'code', typeValue: 'airport' };
  expect((await client.records.uploadCsv({ body })).created).toBe(1);
  expect(sent[0]?.body).toBe(sent[1]?.body);
});

test('a stream that could not begin begins again', async () => {
  const { client, sent } = await clientWith([unreachable]);
  const step = { type: 'template', name: 'Greet', config: { template: 'hello' } } as const;
  const events = await Array.fromAsync(client.dispatch.stream({ body: { flow: { steps: [step] } } }));
  expect(events.at(-1)).toMatchObject({ type: 'execution_complete', success: true });
  expect(sent).toHaveLength(2);
});

test.each([400, 404, 409, 422, 429])('a %i without Retry-After is not sent again', async (code) => {
  const { client, sent } = await clientWith([status(code)]);
  await expect(client.flows.create({ body: { name: 'one' } })).rejects.toMatchObject({ status: code });
  expect(sent).toHaveLength(1);
});

test('a key that is in use is tried again', async () => {
  const inUse = JSON.stringify({ details: [{ code: 'IDEMPOTENCY_KEY_IN_USE', message: 'Wait' }] });
  const { client, sent } = await clientWith([status(409, {}, inUse)]);
  await client.flows.create({ body: { name: 'one' } });
  expect(sent).toHaveLength(2);
});

test('a GET is sent again, without a key; a PUT and a DELETE are not', async () => {
  const { client, sent } = await clientWith([unreachable, status(503)]);
  expect((await client.flows.list()).data).toEqual([]);
  expect(sent.map(({ key }) => key)).toEqual([null, null, null]);
  const changing = await clientWith([status(503), status(503)]);
  const request = { params: { id: 'flow_1' }, body: {} };
  await expect(changing.client.flows.update(request)).rejects.toMatchObject({ status: 503 });
  await expect(changing.client.flows.delete(request)).rejects.toMatchObject({ status: 503 });
  expect(changing.sent).toHaveLength(2);
});

test('after so many retries the error is thrown; a service that cannot be reached has one of its own', async () => {
  const failing = await clientWith([status(503), status(503), status(503)]);
  await expect(failing.client.flows.list()).rejects.toMatchObject({ status: 503 });
  expect([failing.sent.length, failing.pauses]).toEqual([3, [500, 1_000]]);
  const lost = await clientWith([unreachable], { retries: 0 });
  const error = await lost.client.flows.list().catch((caught) => caught);
  expect(error).toBeInstanceOf(ConnectionError);
  expect(error).toMatchObject({ operation: 'flows.list', cause: { message: 'fetch failed' } });
  const refused = createClient({ baseUrl: 'http://127.0.0.1:1', retries: 0 }).flows.list();
  await expect(refused).rejects.toThrow('flows.list got no response: bad port');
});

test('a longer wait is up to the caller; a date is a wait too', async () => {
  const long = await clientWith([status(429, { 'retry-after': '3600' })]);
  await expect(long.client.flows.list()).rejects.toMatchObject({ status: 429 });
  expect(long.sent).toHaveLength(1);
  const date = new Date(Date.now() + 4_000).toUTCString();
  const dated = await clientWith([status(503, { 'retry-after': date })]);
  await dated.client.flows.list();
  expect(dated.pauses[0]).toBeGreaterThan(1_000);
  expect(dated.pauses[0]).toBeLessThanOrEqual(4_000);
});

test('an abort ends the wait for a retry', async () => {
  const controller = new AbortController();
  const client = createClient({
    baseUrl: 'http://service',
    retryWaitMsMax: 100_000_000,
    async fetch() {
      setImmediate(() => setImmediate(() => controller.abort('stopped')));
      return new Response('', { status: 503, headers: { 'retry-after': '86400' } });
    },
  });
  await expect(client.flows.list({ signal: controller.signal })).rejects.toBe('stopped');
});

test('a network error of a request that was aborted is not followed by a retry', async () => {
  const controller = new AbortController();
  let requests = 0;
  const client = createClient({
    baseUrl: 'http://service',
    async fetch() {
      requests++;
      controller.abort('stopped');
      throw new TypeError('terminated');
    },
  });
  await expect(client.flows.list({ signal: controller.signal })).rejects.toBe('stopped');
  expect(requests).toBe(1);
});

test('a caller may give the key: what was sent twice with it happens once', async () => {
  const { client } = await clientWith([]);
  const create = () => client.flows.create({ body: { name: 'one' }, idempotencyKey: 'mine' });
  const [first, again] = await Promise.all([create(), create()]);
  expect(again).toEqual(first);
  expect((await client.flows.list()).data).toHaveLength(1);
});
