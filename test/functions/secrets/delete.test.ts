import { expect, test } from 'vitest';
import { newSecret } from '../../support/data/secrets.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import { notFoundBody } from '../../support/stack/errors.ts';
import { newTenant } from '../../support/stack/stack.ts';

const value = 'the first value';

test('a deleted secret is unknown to everything but checks, which report it as revoked', async () => {
  const { call } = await newTenant();
  const { id } = await newSecret({ call }, { key: 'KEY_A', value });
  expect(await expectStatus(200, call('DELETE', `/v1/secrets/${id}`))).toEqual({
    success: true,
    deletedId: id,
    referenceCount: 0,
  });
  for (const method of ['GET', 'DELETE']) {
    expect(await expectStatus(404, call(method, `/v1/secrets/${id}`))).toEqual(notFoundBody('Secret'));
  }
  const checked = await expectStatus(200, call('POST', '/v1/secrets/check', { body: { keys: ['KEY_A'] } }));
  expect(checked).toEqual({ found: [], missing: [], revoked: ['KEY_A'] });
});

test('a recreated secret is the same secret, with the next version and its description', async () => {
  const { call } = await newTenant();
  const before = await newSecret({ call }, { key: 'KEY_A', value, description: 'A' });
  await expectStatus(200, call('DELETE', `/v1/secrets/${before.id}`));
  const again = await newSecret({ call }, { key: 'KEY_A', value: 'the second one' });
  expect(again).toEqual({
    ...before,
    version: 2,
    valuePreview: ' one',
    lastRotatedAt: again.updatedAt,
    updatedAt: expect.any(String),
  });
  expect(await expectStatus(200, call('GET', `/v1/secrets/${before.id}`))).toEqual({ data: again });
});

test('a pending secret can also be deleted', async () => {
  const { call } = await newTenant();
  const { id } = await newSecret({ call }, { key: 'KEY_A' });
  await expectStatus(200, call('DELETE', `/v1/secrets/${id}`));
  expect(await newSecret({ call }, { key: 'KEY_A' })).toMatchObject({ id, status: 'pending', version: 0 });
});

test('of several concurrent deletions exactly one succeeds', async () => {
  const { call } = await newTenant();
  const { id } = await newSecret({ call }, { key: 'KEY_A', value });
  const answers = await Promise.all(Array.from({ length: 5 }, () => call('DELETE', `/v1/secrets/${id}`)));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404, 404, 404, 404]);
});

test('400 for a malformed id, 404 for an unknown one', async () => {
  const { call } = await newTenant();
  const { details } = await expectStatus(400, call('DELETE', '/v1/secrets/KEY_A'));
  expect(details).toMatchObject([{ path: 'id', code: 'INVALID_FORMAT' }]);
  await expectStatus(404, call('DELETE', `/v1/secrets/secret_${'0'.repeat(26)}`));
});
