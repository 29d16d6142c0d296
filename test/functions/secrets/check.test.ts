import { expect, test } from 'vitest';
import { newSecret } from '../../support/data/secrets.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import { newTenant } from '../../support/stack/stack.ts';

test('the check returns each key’s status once, in the order of the request', async () => {
  const [{ call }, stranger] = [await newTenant(), await newTenant()];
  const check = (...keys: string[]) =>
    expectStatus(200, call('POST', '/v1/secrets/check', { body: { keys } }));
  await newSecret(stranger, { key: 'FOREIGN_KEY', value: 'a foreign value' });
  for (const key of ['KEY_A', 'KEY_B', 'KEY_C']) await newSecret({ call }, { key, value: 'the first value' });
  await newSecret({ call }, { key: 'PENDING_KEY' });
  const { id } = await newSecret({ call }, { key: 'REVOKED_KEY', value: 'the first value' });
  await expectStatus(200, call('DELETE', `/v1/secrets/${id}`));
  const asked = [
    'KEY_B',
    'no key: 🔑',
    'REVOKED_KEY',
    'KEY_A',
    'PENDING_KEY',
    'KEY_B',
    'FOREIGN_KEY',
    '\ud800',
  ];
  expect(await check(...asked)).toEqual({
    found: ['KEY_B', 'KEY_A'],
    missing: ['no key: 🔑', 'PENDING_KEY', 'FOREIGN_KEY', '\ud800'],
    revoked: ['REVOKED_KEY'],
  });
  expect(await check(...Array.from({ length: 50 }, (_, n) => `KEY_${n}`))).toMatchObject({ found: [] });
});

test.each<[string, unknown, string, string]>([
  ['no keys', {}, 'keys', 'MISSING_REQUIRED_FIELD'],
  ['an empty list', { keys: [] }, 'keys', 'TOO_SMALL'],
  ['51 keys', { keys: Array.from({ length: 51 }, (_, n) => `KEY_${n}`) }, 'keys', 'TOO_BIG'],
  ['an empty key', { keys: ['KEY_A', ''] }, 'keys.1', 'TOO_SMALL'],
  ['a key of 101 characters', { keys: ['A'.repeat(101)] }, 'keys.0', 'TOO_BIG'],
  ['a key that is no text', { keys: [1] }, 'keys.0', 'INVALID_TYPE'],
  ['one text', { keys: 'KEY_A' }, 'keys', 'INVALID_TYPE'],
  ['an unknown member', { keys: ['KEY_A'], key: 'KEY_A' }, 'key', 'UNKNOWN_MEMBER'],
])('400 for %s', async (_what, body, path, code) => {
  const { call } = await newTenant();
  const { details } = await expectStatus(400, call('POST', '/v1/secrets/check', { body }));
  expect(details).toEqual([{ path, code, message: expect.any(String) }]);
});
