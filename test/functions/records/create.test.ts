import { expect, test } from 'vitest';
import { newTenant } from '../../support/stack/stack.ts';

test('201 with the record and its defaults', async () => {
  const { call, userId, organizationId } = await newTenant({ organizationId: 'org-1' });
  const { status, body } = await call('POST', '/v1/records', { body: { type: 'customer', name: 'Ada' } });
  expect(status).toBe(201);
  expect(body).toEqual({
    id: expect.stringMatching(/^record_[0-9a-hjkmnp-tv-z]{26}$/),
    userId,
    organizationId,
    productSurfaceId: null,
    type: 'customer',
    name: 'Ada',
    metadata: {},
    messages: null,
    createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
    updatedAt: body.createdAt,
  });
});

test('a read returns what was sent, to the last digit', async () => {
  const { call } = await newTenant();
  const sent = {
    type: 'customer',
    name: 'Ada \u{1f4da}\n"x"',
    metadata: {
      large: 1e300,
      small: -1e-300,
      whole: 2 ** 70,
      nothing: null,
      '': '',
      text: '\u0000 \ud800 é',
      constructor: [[], {}, [{ deep: [1, 'two', true] }]],
      path: JSON.parse('['.repeat(90) + ']'.repeat(90)),
    },
    messages: [
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: [{ type: 'text', text: 'Hi' }] },
    ],
  };
  const created = await call('POST', '/v1/records', { body: sent });
  expect(created.status).toBe(201);
  expect(created.body).toMatchObject(sent);
  expect((await call('GET', `/v1/records/${created.body.id}`)).body).toEqual(created.body);
});

test('409 that names the pair if the type and name exist, and the first record stays', async () => {
  const { call } = await newTenant();
  const first = await call('POST', '/v1/records', { body: { type: 'a', name: 'x', metadata: { n: 1 } } });
  const second = await call('POST', '/v1/records', { body: { type: 'a', name: 'x', metadata: { n: 2 } } });
  expect(second.status).toBe(409);
  expect(second.body).toEqual({
    error: 'Conflict',
    details: [
      {
        path: 'name',
        code: 'NAME_TAKEN',
        message: 'A record of the type "a" with the name "x" already exists; choose another name',
      },
    ],
  });
  expect((await call('GET', `/v1/records/${first.body.id}`)).body.metadata).toEqual({ n: 1 });
});

test('the same name is free for another type, in another case and for another tenant', async () => {
  const [one, other] = await Promise.all([newTenant(), newTenant()]);
  const create = (tenant: typeof one, type: string, name: string) =>
    tenant.call('POST', '/v1/records', { body: { type, name } });
  const answers = [
    await create(one, 'a', 'x'),
    await create(one, 'b', 'x'),
    await create(one, 'a', 'X'),
    await create(other, 'a', 'x'),
  ];
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
});

test('of twenty concurrent creations of the same type and name, one gets 201 and nineteen 409', async () => {
  const { call } = await newTenant();
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      call('POST', '/v1/records', { body: { type: 'a', name: 'x', metadata: { n } } }),
    ),
  );
  const statuses = answers.map(({ status }) => status).toSorted();
  expect(statuses).toEqual([201, ...Array.from({ length: 19 }, () => 409)]);
  expect((await call('GET', '/v1/records')).body.data).toHaveLength(1);
});

const tooDeep = JSON.parse(`${'['.repeat(101)}${']'.repeat(101)}`);
test.each([
  ['no type', { name: 'x' }, 'type', 'MISSING_REQUIRED_FIELD'],
  ['an empty name', { type: 'a', name: '' }, 'name', 'TOO_SMALL'],
  ['a name over 500 characters', { type: 'a', name: 'x'.repeat(501) }, 'name', 'TOO_BIG'],
  ['a type over 255 characters', { type: 'x'.repeat(256), name: 'x' }, 'type', 'TOO_BIG'],
  ['a NUL in the type', { type: 'a\0', name: 'x' }, 'type', 'INVALID_VALUE'],
  ['half a character', { type: 'a', name: '\ud800' }, 'name', 'INVALID_VALUE'],
  ['metadata that is a list', { type: 'a', name: 'x', metadata: [] }, 'metadata', 'INVALID_TYPE'],
  ['metadata of null', { type: 'a', name: 'x', metadata: null }, 'metadata', 'INVALID_TYPE'],
  ['metadata nested too deep', { type: 'a', name: 'x', metadata: { tooDeep } }, 'metadata', 'TOO_LARGE'],
  ['an unknown member', { type: 'a', name: 'x', extra: 1 }, 'extra', 'UNKNOWN_MEMBER'],
  [
    'an unknown role',
    { type: 'a', name: 'x', messages: [{ role: 'x', content: '' }] },
    'messages.0.role',
    'INVALID_ENUM',
  ],
])('400 for %s', async (_, body, path, code) => {
  const { call } = await newTenant();
  const answer = await call('POST', '/v1/records', { body });
  expect(answer.status).toBe(400);
  expect(answer.body).toEqual({
    error: 'Validation error',
    details: [expect.objectContaining({ path, code })],
  });
});

test('metadata may have 256 KB and messages 128 KB; one byte more is a 400 that names the limit', async () => {
  const { call } = await newTenant();
  const metadata = { text: 'x'.repeat(256 * 1024 - '{"text":""}'.length) };
  const messages = [
    { role: 'user', content: 'y'.repeat(128 * 1024 - '[{"role":"user","content":""}]'.length) },
  ];
  const name = '\u{20ac}'.repeat(500);
  const type = '\u{20ac}'.repeat(255);
  const full = await call('POST', '/v1/records', { body: { type, name, metadata, messages } });
  expect(full.status).toBe(201);
  expect((await call('GET', `/v1/records/${full.body.id}`)).body).toEqual(full.body);

  const over = await call('POST', '/v1/records', {
    body: {
      type: 'a',
      name: 'x',
      metadata: { text: `${metadata.text}z` },
      messages: [...messages, ...messages],
    },
  });
  expect(over.status).toBe(400);
  expect(over.body.details).toEqual([
    {
      path: 'metadata',
      code: 'TOO_LARGE',
      message: 'The metadata may have at most 262144 bytes (256 KB) of JSON; this has 262145',
    },
    {
      path: 'messages',
      code: 'TOO_LARGE',
      message: 'The messages may have at most 131072 bytes (128 KB) of JSON; this has 262143',
    },
  ]);
});

test('403 without RECORDS:WRITE', async () => {
  const { call } = await newTenant({ permissions: ['RECORDS:READ'] });
  const { status, body } = await call('POST', '/v1/records', { body: { type: 'a', name: 'x' } });
  expect(status).toBe(403);
  expect(body).toEqual({ error: 'Forbidden', details: 'Missing required permission: RECORDS:WRITE' });
});

test('an error gives the path of metadata in which a constructor has a prototype', async () => {
  const { call } = await newTenant();
  const metadata = { constructor: { prototype: {} } };
  const { status, body } = await call('POST', '/v1/records', { body: { type: 'a', name: 'b', metadata } });
  expect(status).toBe(400);
  expect(body.details).toMatchObject([{ path: 'metadata.constructor', code: 'FORBIDDEN_MEMBER' }]);
});
