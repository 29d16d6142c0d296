import { expect, test } from 'vitest';
import { newSecret } from '../../support/data/secrets.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import { notFoundBody } from '../../support/stack/errors.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';

const update = ({ call }: Pick<Tenant, 'call'>, id: string, body: unknown) =>
  call('PUT', `/v1/secrets/${id}`, { body });
const unknown = `secret_${'0'.repeat(26)}`;

test('a value rotates a secret: its version, its preview and its rotation time change, the rest stays', async () => {
  const tenant = await newTenant();
  const before = await newSecret(tenant, { key: 'KEY_A', value: 'the first value', description: 'A' });
  const { data } = await expectStatus(200, update(tenant, before.id, { value: 'the second one' }));
  expect(data).toEqual({
    ...before,
    version: 2,
    valuePreview: ' one',
    lastRotatedAt: data.updatedAt,
    updatedAt: expect.stringMatching(/Z$/),
  });
  expect(await expectStatus(200, tenant.call('GET', `/v1/secrets/${before.id}`))).toEqual({ data });
});

test('the first value of a pending secret activates it, which is not a rotation', async () => {
  const tenant = await newTenant();
  const { id } = await newSecret(tenant, { key: 'KEY_A' });
  const { data } = await expectStatus(
    200,
    update(tenant, id, { value: 'the first value', expectedVersion: 0 }),
  );
  expect(data).toMatchObject({ status: 'active', version: 1, valuePreview: 'alue', lastRotatedAt: null });
});

test('a description alone does not rotate the secret, and an empty one removes the description', async () => {
  const tenant = await newTenant();
  const before = await newSecret(tenant, { key: 'KEY_A', value: 'the first value', description: 'A' });
  const { data } = await expectStatus(200, update(tenant, before.id, { description: 'What for' }));
  expect(data).toEqual({ ...before, description: 'What for', updatedAt: data.updatedAt });
  const bare = await expectStatus(200, update(tenant, before.id, { description: '' }));
  expect(bare.data).toMatchObject({ description: null, version: 1 });
});

test('409 with both version numbers for a version other than the expected one, and nothing changes', async () => {
  const tenant = await newTenant();
  const { id } = await newSecret(tenant, { key: 'KEY_A', value: 'the first value' });
  const rotated = await expectStatus(
    200,
    update(tenant, id, { value: 'the second one', expectedVersion: 1 }),
  );
  for (const body of [{ value: 'the third one' }, { description: 'x' }]) {
    const refused = await expectStatus(409, update(tenant, id, { ...body, expectedVersion: 1 }));
    expect(refused).toEqual({
      error: 'Conflict',
      details: [
        {
          path: 'expectedVersion',
          code: 'VERSION_MISMATCH',
          message: 'The secret has version 2, not 1; read it again and retry',
        },
      ],
    });
  }
  expect(await expectStatus(200, tenant.call('GET', `/v1/secrets/${id}`))).toEqual(rotated);
});

test('each of many concurrent rotations without a version either stores its value or returns 409', async () => {
  const tenant = await newTenant();
  const { id } = await newSecret(tenant, { key: 'KEY_A', value: 'the first value' });
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, n) => update(tenant, id, { value: `the value of ${n}` })),
  );
  const done = answers.filter(({ status }) => status === 200);
  for (const { status, body } of answers) {
    if (status !== 200) expect([status, body.details[0].code]).toEqual([409, 'CONFLICT']);
  }
  const { data } = await expectStatus(200, tenant.call('GET', `/v1/secrets/${id}`));
  expect(data.version).toBe(1 + done.length);
  expect(done.map(({ body }) => body.data)).toContainEqual(data);
});

test.each<[string, unknown, string, string]>([
  ['nothing to change', {}, '', 'NOTHING_TO_CHANGE'],
  ['a version alone', { expectedVersion: 1 }, '', 'NOTHING_TO_CHANGE'],
  ['a short value', { value: '1234567' }, 'value', 'TOO_SMALL'],
  ['a long value', { value: 'x'.repeat(10_001) }, 'value', 'TOO_BIG'],
  ['a value of blanks', { value: ' '.repeat(8) }, 'value', 'INVALID_VALUE'],
  ['a long description', { description: 'x'.repeat(501) }, 'description', 'TOO_BIG'],
  ['null as a description', { description: null }, 'description', 'INVALID_TYPE'],
  ['a version below 0', { description: 'x', expectedVersion: -1 }, 'expectedVersion', 'TOO_SMALL'],
  ['half a version', { description: 'x', expectedVersion: 1.5 }, 'expectedVersion', 'INVALID_TYPE'],
  ['another key', { key: 'KEY_B', description: 'x' }, 'key', 'UNKNOWN_MEMBER'],
])('400 for %s', async (_what, body, path, code) => {
  const tenant = await newTenant();
  const { id } = await newSecret(tenant, { key: 'KEY_A', value: 'the first value' });
  const { details } = await expectStatus(400, update(tenant, id, body));
  expect(details).toEqual([{ path, code, message: expect.any(String) }]);
});

test('400 for a malformed id, 404 for an unknown or deleted one', async () => {
  const tenant = await newTenant();
  const body = { value: 'the first value' };
  const garbled = await expectStatus(400, update(tenant, 'KEY_A', body));
  expect(garbled.details).toMatchObject([{ path: 'id' }]);
  const { id } = await newSecret(tenant, { key: 'KEY_A', ...body });
  await expectStatus(200, tenant.call('DELETE', `/v1/secrets/${id}`));
  for (const gone of [unknown, id]) {
    expect(await expectStatus(404, update(tenant, gone, body))).toEqual(notFoundBody('Secret'));
  }
});
