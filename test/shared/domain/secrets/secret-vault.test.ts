import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { redactKnownValues, rememberSecretValue } from '../../../../shared/core/redaction/known-values.ts';
import { secretReader, secretVault } from '../../../../shared/domain/secrets/secret-vault.ts';

const newVault = (tenant = `user:${randomUUID()}`) => ({
  ...secretVault({ table: { tenant } }),
  ...secretReader({ table: { tenant } }),
});
const id = 'secret_1';

test('every value is found by its own id, the first as the last', async () => {
  const vault = newVault();
  const values = ['one', 'two', 'three', 'four'];
  const ids: string[] = [];
  for (const value of values) ids.push(await vault.keep(id, value));
  expect(await Promise.all(ids.map((valueId) => vault.read(id, valueId)))).toEqual(values);
});

test('the first values of a secret may come at once', async () => {
  const vault = newVault();
  const values = ['one', 'two', 'three', 'four', 'five'];
  const ids = await Promise.all(values.map((value) => vault.keep(id, value)));
  expect(await Promise.all(ids.map((valueId) => vault.read(id, valueId)))).toEqual(values);
});

test('a revoked secret gives no value, and comes back only for who says so', async () => {
  const vault = newVault();
  const before = await vault.keep(id, 'one');
  await vault.revoke(id);
  await vault.revoke(id);
  expect(await vault.read(id, before)).toBeUndefined();
  await expect(vault.keep(id, 'two', { restores: false })).rejects.toMatchObject({ code: 'CONFLICT' });
  expect(await vault.read(id, await vault.keep(id, 'two'))).toBe('two');
});

test('to revoke what never had a value does no harm', async () => {
  await newVault().revoke(id);
});

test('a value that nobody kept is a fault, not a missing secret', async () => {
  const vault = newVault();
  await expect(vault.read(id, randomUUID())).rejects.toThrow("can't find");
  await vault.keep(id, 'one');
  await expect(vault.read(id, randomUUID())).rejects.toThrow("can't find");
});

test('tenants whose names differ have secrets of their own under the same id', async () => {
  const [vault, other] = [newVault('user:a/b'), newVault('user:a%2Fb')];
  const valueId = await vault.keep(id, 'one');
  await expect(other.read(id, valueId)).rejects.toThrow("can't find");
});

test('more values than Secrets Manager takes in a day are a 409', async () => {
  const vault = newVault();
  for (let n = 0; n < 100; n++) await vault.keep(id, `value ${n}`);
  await expect(vault.keep(id, 'one too many')).rejects.toMatchObject({ code: 'CONFLICT' });
});

test('a value that was kept or read here is not written into logs', async () => {
  const value = `kept ${randomUUID()}`;
  const vault = newVault();
  const valueId = await vault.keep(id, value);
  expect(redactKnownValues(`It was ${value}.`)).not.toContain(value);
  for (let n = 0; n < 1_000; n++) rememberSecretValue(`another value ${n}`);
  expect(redactKnownValues(`It was ${value}.`)).toContain(value);
  await vault.read(id, valueId);
  expect(redactKnownValues(`It was ${value}.`)).not.toContain(value);
});
