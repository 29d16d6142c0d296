import { afterEach, expect, test, vi } from 'vitest';
import { redactKnownValues } from '../../../../shared/core/redaction/known-values.ts';
import { secretValues } from '../../../../shared/domain/secrets/secret-values.ts';
import type { SecretReader } from '../../../../shared/domain/secrets/secret-vault.ts';
import { tenantLimits } from '../../../../shared/domain/tenant-limits.ts';
import { secretWorld } from '../../../support/data/secrets.ts';
import { countingRuntime } from '../../../support/stack/stack.ts';

afterEach(() => vi.restoreAllMocks());

const many = <T>(count: number, make: (n: number) => T) => Array.from({ length: count }, (_, n) => make(n));

/** Secrets with values, what was read of them from Secrets Manager, and what was asked of the table. */
function runWorld() {
  const reads: string[] = [];
  const world = secretWorld((real) => ({
    async read(...[id, valueId]: Parameters<SecretReader['read']>) {
      reads.push(id);
      return real.read(id, valueId);
    },
  }));
  const { scopeOf, consumed } = countingRuntime();
  const scope = scopeOf(world.table.tenant);
  const values = secretValues(scope, world.vault);
  const given = async (...keys: string[]) => Object.fromEntries(await values(keys));
  return { ...world, reads, consumed, given, scope };
}

test('a run reads the table once and each value once; later runs read only the table', async () => {
  const { secrets, principal, given, reads, consumed } = runWorld();
  const { id } = await secrets.create(principal, { key: 'KEY_A', value: 'the value of a' });
  const other = await secrets.create(principal, { key: 'KEY_B', value: 'the value of b' });
  const expected = { KEY_A: 'the value of a', KEY_B: 'the value of b' };
  expect(await given('KEY_A', 'KEY_B', 'KEY_A')).toEqual(expected);
  expect(consumed.commands).toEqual(['BatchGetItem']);
  expect(reads.toSorted()).toEqual([id, other.id].toSorted());
  for (const _run of [1, 2, 3]) expect(await given('KEY_A', 'KEY_B')).toEqual(expected);
  expect(reads).toHaveLength(2);
  expect(redactKnownValues('it was the value of a')).not.toContain('the value of a');
});

test('runs that start concurrently share the read of a value', async () => {
  const { secrets, principal, given, reads } = runWorld();
  await secrets.create(principal, { key: 'KEY_A', value: 'the value of a' });
  const all = await Promise.all(many(20, () => given('KEY_A')));
  expect(new Set(all.map(({ KEY_A }) => KEY_A))).toEqual(new Set(['the value of a']));
  expect(reads).toHaveLength(1);
});

test('the next run sees a rotation, and a deletion', async () => {
  const { secrets, principal, given } = runWorld();
  const { id } = await secrets.create(principal, { key: 'KEY_A', value: 'the value of a' });
  expect(await given('KEY_A')).toEqual({ KEY_A: 'the value of a' });
  await secrets.update(principal, id, { value: 'the rotated value' });
  expect(await given('KEY_A')).toEqual({ KEY_A: 'the rotated value' });
  await secrets.remove(principal, id);
  expect(await given('KEY_A')).toEqual({});
  await secrets.create(principal, { key: 'KEY_A', value: 'once more a value' });
  expect(await given('KEY_A')).toEqual({ KEY_A: 'once more a value' });
});

test('pending secrets, missing ones and invalid keys are omitted', async () => {
  const { secrets, principal, given, reads, consumed } = runWorld();
  await secrets.create(principal, { key: 'PENDING_KEY' });
  expect(await given('PENDING_KEY', 'NEVER_THERE', 'no key', '', '\ud800')).toEqual({});
  expect(await given()).toEqual({});
  expect(reads).toEqual([]);
  expect(consumed.commands).toEqual(['BatchGetItem']);
});

test('a tenant sees only its own value of a key, also next to another tenant in the same process', async () => {
  const [one, other, third] = [runWorld(), runWorld(), runWorld()];
  await one.secrets.create(one.principal, { key: 'KEY_A', value: 'the value of one' });
  await other.secrets.create(other.principal, { key: 'KEY_A', value: 'the value of the other' });
  expect(await one.given('KEY_A')).toEqual({ KEY_A: 'the value of one' });
  expect(await other.given('KEY_A')).toEqual({ KEY_A: 'the value of the other' });
  expect(await third.given('KEY_A')).toEqual({});
});

test('a value that cannot be read is an error, which is not cached', async () => {
  const { secrets, principal, scope, vault, given } = runWorld();
  await secrets.create(principal, { key: 'KEY_A', value: 'the value of a' });
  const broken = { ...vault, read: () => Promise.reject(new Error('connect ECONNREFUSED')) };
  await expect(secretValues(scope, broken)(['KEY_A'])).rejects.toThrow('ECONNREFUSED');
  expect(await given('KEY_A')).toEqual({ KEY_A: 'the value of a' });
});

test('a value is cached for ten minutes', async () => {
  const { secrets, principal, given, reads } = runWorld();
  await secrets.create(principal, { key: 'KEY_A', value: 'the value of a' });
  const now = Date.now();
  const clock = vi.spyOn(Date, 'now').mockReturnValue(now);
  await given('KEY_A');
  clock.mockReturnValue(now + 599_000);
  await given('KEY_A');
  expect(reads).toHaveLength(1);
  clock.mockReturnValue(now + 601_000);
  expect(await given('KEY_A')).toEqual({ KEY_A: 'the value of a' });
  expect(reads).toHaveLength(2);
});

test('returns all values of a tenant with as many secrets as it can have, which fill the cache', async () => {
  const { secrets, principal, scope, vault } = runWorld();
  const keys = many(tenantLimits.secrets, (n) => `KEY_${n}`);
  for (let from = 0; from < keys.length; from += 90) {
    const items = keys.slice(from, from + 90).map((key) => ({ key, value: `the value of ${key}` }));
    await secrets.setAll(principal, items);
  }
  const values = await secretValues(scope, vault)(keys);
  expect([...values]).toEqual(keys.map((key) => [key, `the value of ${key}`]));
});
