import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { redactKnownValues, rememberSecretValue } from '../../../../shared/core/redaction/known-values.ts';
import { secretReader, secretVault } from '../../../../shared/domain/secrets/secret-vault.ts';
import '../../../support/stack/stack.ts';

const newVault = (tenant = `user:${randomUUID()}`) => ({
  ...secretVault({ table: { tenant } }),
  ...secretReader({ table: { tenant } }),
});
const id = 'secret_1';

test('every value is found by its own id, from the first to the last', async () => {
  const vault = newVault();
  const values = ['one', 'two', 'three', 'four'];
  const ids: string[] = [];
  for (const value of values) ids.push(await vault.store(id, value));
  expect(await Promise.all(ids.map((valueId) => vault.read(id, valueId)))).toEqual(values);
});

test('the first values of a secret may be stored concurrently', async () => {
  const vault = newVault();
  const values = ['one', 'two', 'three', 'four', 'five'];
  const ids = await Promise.all(values.map((value) => vault.store(id, value)));
  expect(await Promise.all(ids.map((valueId) => vault.read(id, valueId)))).toEqual(values);
});

test('a revoked secret returns no value, and is restored only on request', async () => {
  const vault = newVault();
  const before = await vault.store(id, 'one');
  await vault.revoke(id);
  await vault.revoke(id);
  expect(await vault.read(id, before)).toBeUndefined();
  await expect(vault.store(id, 'two', { restores: false })).rejects.toMatchObject({ code: 'CONFLICT' });
  expect(await vault.read(id, await vault.store(id, 'two'))).toBe('two');
});

test('revoking a secret that never had a value succeeds', async () => {
  await newVault().revoke(id);
});

test('a value that was never stored is an error, not a missing secret', async () => {
  const vault = newVault();
  await expect(vault.read(id, randomUUID())).rejects.toThrow("can't find");
  await vault.store(id, 'one');
  await expect(vault.read(id, randomUUID())).rejects.toThrow("can't find");
});

test('tenants have separate secrets under the same id', async () => {
  const [vault, other] = [newVault('user:a/b'), newVault('user:a%2Fb')];
  const valueId = await vault.store(id, 'one');
  await expect(other.read(id, valueId)).rejects.toThrow("can't find");
});

test('more values than Secrets Manager accepts in a day are a 409', async () => {
  const vault = newVault();
  for (let n = 0; n < 100; n++) await vault.store(id, `value ${n}`);
  await expect(vault.store(id, 'one too many')).rejects.toMatchObject({ code: 'CONFLICT' });
});

test('a value that this process stored or read is not logged', async () => {
  const value = `kept ${randomUUID()}`;
  const vault = newVault();
  const valueId = await vault.store(id, value);
  expect(redactKnownValues(`It was ${value}.`)).not.toContain(value);
  for (let n = 0; n < 1_000; n++) rememberSecretValue(`another value ${n}`);
  expect(redactKnownValues(`It was ${value}.`)).toContain(value);
  await vault.read(id, valueId);
  expect(redactKnownValues(`It was ${value}.`)).not.toContain(value);
});
