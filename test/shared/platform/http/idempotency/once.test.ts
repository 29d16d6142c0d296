import type { APIGatewayProxyEvent } from 'aws-lambda';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { conflict, invalidAt, notFound } from '../../../../../shared/core/errors/errors.ts';
import { newId } from '../../../../../shared/core/ids.ts';
import { ids } from '../../../../../shared/platform/data/scope.ts';
import { defineEndpoint } from '../../../../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../../../../shared/platform/http/lambda/lambda.ts';
import type { Runtime } from '../../../../../shared/platform/runtime.ts';
import { invokeWith } from '../../../../support/stack/invoke.ts';
import { byClock, countingRuntime } from '../../../../support/stack/stack.ts';

const failures: Record<string, () => Error> = {
  invalid: () => invalidAt('what', 'INVALID_VALUE', 'No'),
  missing: () => notFound('Thing'),
  taken: () => conflict('It is taken'),
  broken: () => new Error('It broke'),
};

/** An endpoint that makes things, of a tenant of its own, with a clock that is set by hand. */
function things({ method = 'POST' as const, noIdempotencyKey = undefined as string | undefined } = {}) {
  const counting = countingRuntime();
  let [at, made] = [Date.now(), 0];
  let gate: Promise<void> = Promise.resolve();
  const runtime: Runtime = {
    scopeOf: (tenant) => byClock(counting.scopeOf(tenant), () => new Date(at)),
  };
  const endpoint = defineEndpoint({
    id: 'things.make',
    method,
    path: '/v1/things/{place}',
    permission: 'authenticated',
    summary: 'Make a thing',
    params: z.object({ place: z.string() }),
    body: z.looseObject({ what: z.string().optional(), size: z.int().optional() }),
    ...(noIdempotencyKey !== undefined && { noIdempotencyKey }),
    shownOnce: ['key'],
    response: {
      kind: 'json',
      bodies: { 201: z.object({ made: z.int(), key: z.string(), text: z.string() }) },
    },
    errors: [400, 404, 409],
    needs: { newId: ids },
    async handle({ body: { what = '', size = 0 } }) {
      made++;
      await gate;
      const failure = failures[what]?.();
      if (failure) throw failure;
      return { made, key: 'tv_live_0123456789abcdef', text: 'é'.repeat(size) };
    },
  });
  const tenant = `user:${newId('key')}`;
  const handler = toLambda(endpoint, () => runtime);
  async function post(
    key: string | undefined,
    body: unknown = {},
    { place = 'here', userId = 'u', of = tenant, text = undefined as string | undefined } = {},
  ) {
    const principal = {
      kind: 'session',
      tenant: of,
      userId,
      organizationId: null,
      environment: 'production',
      keyId: null,
      hash: null,
      permissions: ['*'],
      sourceIp: null,
    };
    counting.reset();
    const {
      statusCode,
      headers,
      body: answer,
    } = await invokeWith(handler, {
      principal: JSON.stringify(principal),
    })({
      httpMethod: method,
      headers: {
        'content-type': 'application/json',
        ...(key !== undefined && { 'Idempotency-Key': key }),
      },
      pathParameters: { place },
      body: text ?? JSON.stringify(body),
    } as Partial<APIGatewayProxyEvent>);
    return {
      status: statusCode,
      body: JSON.parse(answer),
      isReplayed: headers?.['Idempotent-Replayed'] === 'true',
      headers,
    };
  }
  return {
    post,
    made: () => made,
    pass: (ms: number) => {
      at += ms;
    },
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>();
      gate = promise;
      return resolve;
    },
    consumed: counting.consumed,
  };
}

const minuteMs = 60_000;
const codeOf = ({ body }: { body: { details: { code: string }[] } }) => body.details[0]?.code;

test('the same key gives the first answer again, without what is shown once', async () => {
  const { post, made } = things();
  const first = await post('a', { size: 3 });
  expect(first).toMatchObject({ status: 201, isReplayed: false, body: { made: 1, text: 'ééé' } });
  const again = await post('a', { size: 3 });
  expect(again).toMatchObject({ status: 201, isReplayed: true });
  expect(again.body).toEqual({ ...first.body, key: 'tv_live_0123…cdef' });
  expect(again.headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'no-store' });
  expect(made()).toBe(1);
});

test('members of a body count, and their order does not', async () => {
  const { post } = things();
  await post('a', {}, { text: '{"size": 1, "more": {"x": 1, "y": 2}}' });
  const reordered = await post('a', {}, { text: '{"more":{"y":2,"x":1},"size":1}' });
  expect(reordered.isReplayed).toBe(true);
  const other = await post('a', { size: 1, more: { x: 1, y: 3 } });
  expect([other.status, codeOf(other)]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
});

test('a key belongs to its caller, its tenant and its path', async () => {
  const { post, made } = things();
  await post('a');
  for (const other of [{ place: 'there' }, { userId: 'v' }, { of: `user:${newId('key')}` }]) {
    expect(await post('a', {}, other)).toMatchObject({ status: 201, isReplayed: false });
  }
  expect(made()).toBe(4);
});

test.each([
  ['invalid', 400],
  ['missing', 404],
])('%s: a %i is kept', async (what, status) => {
  const { post, made } = things();
  const first = await post('a', { what });
  expect(await post('a', { what })).toMatchObject({ status, isReplayed: true, body: first.body });
  expect(await post('a', {})).toMatchObject({ status: 422 });
  expect(made()).toBe(1);
});

test('a body that is malformed, or does not fit, is kept as well', async () => {
  const { post } = things();
  for (const text of ['{"size": 1', '{"size": "big"}']) {
    await post(text.length.toString(), {}, { text });
    expect(await post(text.length.toString(), {}, { text })).toMatchObject({ status: 400, isReplayed: true });
  }
});

test.each([
  ['taken', 409],
  ['broken', 500],
])('%s: after a %i, the same key tries again', async (what, status) => {
  const { post, made } = things();
  for (const n of [1, 2]) {
    expect(await post('a', { what })).toMatchObject({ status, isReplayed: false });
    expect(made()).toBe(n);
  }
  expect(await post('a', {})).toMatchObject({ status: 201, isReplayed: false });
});

test('while the first request is being answered, the second is refused; with another body, for that', async () => {
  const { post, hold, made } = things();
  const release = hold();
  const first = post('a');
  await expect.poll(made).toBe(1);
  const second = await post('a');
  expect([second.status, codeOf(second)]).toEqual([409, 'IDEMPOTENCY_KEY_IN_USE']);
  expect(second.headers).toMatchObject({ 'Retry-After': '1' });
  expect(await post('a', { size: 1 })).toMatchObject({ status: 422 });
  release();
  expect(await first).toMatchObject({ status: 201 });
  expect(await post('a')).toMatchObject({ isReplayed: true });
});

test('of many requests at once, one is answered', async () => {
  const { post, made } = things();
  const answers = await Promise.all(Array.from({ length: 8 }, () => post('a')));
  expect(made()).toBe(1);
  expect(answers.filter(({ isReplayed, status }) => status === 201 && !isReplayed)).toHaveLength(1);
});

test('the lock of a process that died ends after 15 minutes, and its answer comes too late then', async () => {
  const { post, hold, pass, made } = things();
  const release = hold();
  const first = post('a');
  await expect.poll(made).toBe(1);
  pass(15 * minuteMs - 1);
  expect(await post('a')).toMatchObject({ status: 409 });
  pass(1);
  const second = post('a');
  await expect.poll(made).toBe(2);
  release();
  await Promise.all([first, second]);
  expect(await post('a')).toMatchObject({ isReplayed: true, body: { made: 2 } });
});

test('an answer is kept for 24 hours', async () => {
  const { post, pass } = things();
  await post('a');
  pass(24 * 60 * minuteMs - 2_000);
  expect(await post('a', { size: 1 })).toMatchObject({ status: 422 });
  pass(2_000);
  expect(await post('a', { size: 1 })).toMatchObject({ status: 201, isReplayed: false });
});

test('a large answer is kept as it is', async () => {
  const { post } = things();
  const first = await post('a', { size: 450_000 });
  const again = await post('a', { size: 450_000 });
  expect(again.isReplayed).toBe(true);
  expect(again.body.text).toBe(first.body.text);
});

test.each([
  ['empty', ''],
  ['too long', 'a'.repeat(256)],
  ['with a blank', 'a b'],
  ['with a control character', 'a\u0001'],
  ['not ASCII', 'ä'],
])('a key that is %s is refused', async (_what, key) => {
  const { post, made } = things();
  const { status, body } = await post(key);
  expect([status, body.details[0].path]).toEqual([400, 'Idempotency-Key']);
  expect(made()).toBe(0);
});

test('the longest key works', async () => {
  const { post } = things();
  const key = '~'.repeat(255);
  await post(key);
  expect(await post(key)).toMatchObject({ isReplayed: true });
});

test('an endpoint that takes no key ignores it', async () => {
  const { post, made } = things({ noIdempotencyKey: 'It changes nothing' });
  await post('a');
  await post('ä');
  expect(made()).toBe(2);
});

test('what a key costs: a write, and one that keeps the answer; nothing without a key', async () => {
  const { post, consumed } = things();
  await post(undefined);
  await post(undefined);
  expect(consumed.commands).toEqual(['UpdateItem']);
  await post('a');
  expect(consumed.commands).toEqual(['UpdateItem', 'PutItem', 'PutItem']);
  expect(consumed.capacityUnits).toBe(3);
  await post('a');
  expect(consumed.commands).toEqual(['UpdateItem', 'PutItem', 'GetItem']);
});
