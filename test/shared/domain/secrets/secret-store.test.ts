import { expect, test } from 'vitest';
import { ServiceError } from '../../../../shared/core/errors/errors.ts';
import { secretEntity, secretIdEntity, secretUseEntity } from '../../../../shared/domain/secrets/secret.ts';
import type { SecretVault } from '../../../../shared/domain/secrets/secret-vault.ts';
import { ConditionFailed } from '../../../../shared/platform/data/condition-failed.ts';
import { tenantPartition } from '../../../../shared/platform/data/keys.ts';
import { brokenTable } from '../../../support/data/broken-table.ts';
import { secretWorld } from '../../../support/data/secrets.ts';

const many = <T>(count: number, make: (n: number) => T) => Array.from({ length: count }, (_, n) => make(n));
const key = 'THE_KEY';
const [first, second] = ['the first value', 'the second value'];

const outcomesOf = async <T>(work: Promise<T>[]) => {
  const settled = await Promise.allSettled(work);
  return {
    done: settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : [])),
    codes: settled.flatMap((each) =>
      each.status === 'rejected'
        ? [each.reason instanceof ServiceError ? each.reason.code : each.reason]
        : [],
    ),
  };
};

/** A vault that notes for which secrets it kept values. */
const noting = (kept: string[]) => (real: SecretVault) => ({
  store(...[id, value, options]: Parameters<SecretVault['store']>) {
    kept.push(id);
    return real.store(id, value, options);
  },
});

const down = () => Promise.reject(new Error('connect ECONNREFUSED'));
const brokenVault: SecretVault = { store: down, revoke: down };

/** The tenant's table as it is for a process that dies right before its transaction. */
const dyingTable = (tenant: string) =>
  brokenTable(tenant, {
    before(command) {
      if (command === 'TransactWriteItems') throw new Error('killed');
    },
  });

test('runs can read a value, which is nowhere in the table', async () => {
  const { secrets, principal, table, valueForRun } = secretWorld();
  const secret = await secrets.create(principal, { key, value: first, description: 'What for' });
  expect(await valueForRun(key)).toBe(first);
  expect(secret).toMatchObject({
    key,
    description: 'What for',
    status: 'active',
    version: 1,
    valuePreview: 'alue',
    lastRotatedAt: null,
    userId: principal.userId,
  });
  const month = secret.createdAt.slice(0, 7);
  const items = [
    ...(await table.queryAll({ partition: tenantPartition('SECRETS') })),
    ...(await table.queryAll({ partition: tenantPartition(`SECRET#${secret.id}`) })),
    ...(await table.queryAll({ partition: tenantPartition(`AUDIT#${month}`) })),
  ];
  expect(items.map(({ _type }) => _type)).toEqual(['secret', 'secretId', 'audit']);
  expect(JSON.stringify(items)).not.toContain(first);
});

test('each change writes an audit item with the actor and the action, without a value', async () => {
  const { secrets, principal, table } = secretWorld();
  const { id, createdAt } = await secrets.create(principal, { key });
  await secrets.update(principal, id, { value: first });
  await secrets.update(principal, id, { description: 'x' });
  await secrets.remove(principal, id);
  await secrets.create(principal, { key, value: second });
  const items = await table.queryAll({ partition: tenantPartition(`AUDIT#${createdAt.slice(0, 7)}`) });
  expect(items.map(({ action, details }) => [action, details])).toEqual([
    ['secret.created', { key, version: 0 }],
    ['secret.rotated', { key, version: 1 }],
    ['secret.updated', { key, version: 1 }],
    ['secret.revoked', { key, version: 1 }],
    ['secret.restored', { key, version: 2 }],
  ]);
  for (const item of items)
    expect(item).toMatchObject({ targetId: id, userId: principal.userId, sourceIp: '203.0.113.7' });
});

test('of twenty concurrent rotations of one version exactly one succeeds, and runs get its value', async () => {
  const { secrets, principal, valueForRun } = secretWorld();
  const { id } = await secrets.create(principal, { key, value: first });
  const values = many(20, (n) => `value of writer ${n}`);
  const { done, codes } = await outcomesOf(
    values.map(async (value) => {
      await secrets.update(principal, id, { value, expectedVersion: 1 });
      return value;
    }),
  );
  expect(done).toHaveLength(1);
  expect(codes).toEqual(many(19, () => 'CONFLICT'));
  expect(await valueForRun(key)).toBe(done[0]);
  expect((await secrets.get(id)).version).toBe(2);
});

test('of ten concurrent creations of one key exactly one succeeds, and no value of the others remains', async () => {
  const kept: string[] = [];
  const { secrets, principal, vault, valueForRun } = secretWorld(noting(kept));
  const { done, codes } = await outcomesOf(
    many(10, async (n) => {
      const value = `value of writer ${n}`;
      return { value, ...(await secrets.create(principal, { key, value })) };
    }),
  );
  expect(done).toHaveLength(1);
  expect(codes).toEqual(many(9, () => 'CONFLICT'));
  expect(await valueForRun(key)).toBe(done[0]?.value);
  expect(kept).toContain(done[0]?.id);
  for (const id of kept.filter((other) => other !== done[0]?.id)) {
    await expect(secrets.get(id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(vault.store(id, 'brought back', { restores: false })).rejects.toMatchObject({
      code: 'CONFLICT',
    });
  }
});

test('a crash between storing a value and referencing it keeps the previous value, however often it happens', async () => {
  const { secrets, secretsOn, principal, table, valueForRun, vault } = secretWorld();
  const { id, valueId } = await secrets.create(principal, { key, value: first });
  const dying = secretsOn({ table: dyingTable(table.tenant) });
  for (const n of [1, 2, 3]) {
    await expect(dying.update(principal, id, { value: `a lost value ${n}` })).rejects.toThrow('killed');
  }
  expect(await valueForRun(key)).toBe(first);
  expect(await vault.read(id, valueId ?? '')).toBe(first);
  expect(await secrets.update(principal, id, { value: second, expectedVersion: 1 })).toMatchObject({
    version: 2,
  });
  expect(await valueForRun(key)).toBe(second);
});

test('while Secrets Manager is down nothing changes; afterwards everything works', async () => {
  const { secrets, secretsOn, principal, valueForRun } = secretWorld();
  const broken = secretsOn({}, brokenVault);
  await expect(broken.create(principal, { key, value: first })).rejects.toThrow('ECONNREFUSED');
  expect(await secrets.list()).toEqual([]);
  const { id } = await secrets.create(principal, { key, value: first });
  await expect(broken.update(principal, id, { value: second })).rejects.toThrow('ECONNREFUSED');
  await expect(broken.remove(principal, id)).rejects.toThrow('ECONNREFUSED');
  expect(await secrets.get(id)).toMatchObject({ status: 'active', version: 1 });
  expect(await valueForRun(key)).toBe(first);
  await secrets.update(principal, id, { value: second });
  expect(await valueForRun(key)).toBe(second);
});

test('changing a description, or expecting another version, stores no value', async () => {
  const kept: string[] = [];
  const { secrets, principal, valueForRun } = secretWorld(noting(kept));
  const { id } = await secrets.create(principal, { key, value: first });
  await expect(secrets.update(principal, id, { value: second, expectedVersion: 4 })).rejects.toMatchObject({
    code: 'CONFLICT',
    details: [
      {
        path: 'expectedVersion',
        code: 'VERSION_MISMATCH',
        message: 'The secret has version 1, not 4; read it again and retry',
      },
    ],
  });
  const described = await secrets.update(principal, id, { description: 'new', expectedVersion: 1 });
  expect(described).toMatchObject({ description: 'new', version: 1, lastRotatedAt: null });
  expect(kept).toEqual([id]);
  expect(await valueForRun(key)).toBe(first);
});

test('a pending secret has no value until its first one is set', async () => {
  const { secrets, principal, valueForRun } = secretWorld();
  const pending = await secrets.create(principal, { key });
  expect(pending).toMatchObject({ status: 'pending', version: 0, valuePreview: null, lastRotatedAt: null });
  expect(await valueForRun(key)).toBeUndefined();
  const active = await secrets.update(principal, pending.id, { value: first, expectedVersion: 0 });
  expect(active).toMatchObject({ status: 'active', version: 1, lastRotatedAt: null });
  const rotated = await secrets.update(principal, pending.id, { value: second });
  expect(rotated).toMatchObject({ version: 2, lastRotatedAt: rotated.updatedAt });
  expect(await valueForRun(key)).toBe(second);
});

test('a revoked secret keeps a tombstone and no value; creating it again restores it with the next version', async () => {
  const { secrets, principal, table, valueForRun, vault } = secretWorld();
  const { id, valueId, createdAt } = await secrets.create(principal, { key, value: first });
  const uses = ['flow_1', 'flow_2'].map((by) => table.writes.insert(secretUseEntity, { key, by }));
  await table.commit([...uses, table.writes.insert(secretUseEntity, { key: `${key}_2`, by: 'flow_1' })]);
  expect(await secrets.remove(principal, id)).toEqual({ referenceCount: 2 });
  expect((await secrets.byKeys([key])).get(key)).toMatchObject({
    id,
    status: 'revoked',
    version: 1,
    valueId: null,
    valuePreview: null,
  });
  expect(await valueForRun(key)).toBeUndefined();
  expect(await vault.read(id, valueId ?? '')).toBeUndefined();
  expect(await secrets.list()).toEqual([]);
  await expect(secrets.get(id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(secrets.remove(principal, id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  const again = await secrets.create(principal, { key, value: second });
  expect(again).toMatchObject({
    id,
    createdAt,
    status: 'active',
    version: 2,
    lastRotatedAt: again.updatedAt,
  });
  expect(await valueForRun(key)).toBe(second);
});

test('a secret restored without a value is pending and accepts one', async () => {
  const { secrets, principal, valueForRun } = secretWorld();
  const { id } = await secrets.create(principal, { key, value: first });
  await secrets.remove(principal, id);
  expect(await secrets.create(principal, { key })).toMatchObject({ id, status: 'pending', version: 1 });
  expect(await valueForRun(key)).toBeUndefined();
  await secrets.update(principal, id, { value: second, expectedVersion: 1 });
  expect(await valueForRun(key)).toBe(second);
});

test('a deletion wins over concurrent rotations, and none of their values can be read', async () => {
  const { secrets, principal, valueForRun, vault } = secretWorld();
  const { id } = await secrets.create(principal, { key, value: first });
  const rotations = many(8, (n) => secrets.update(principal, id, { value: `value of writer ${n}` }));
  const [{ referenceCount }, { done, codes }] = await Promise.all([
    secrets.remove(principal, id),
    outcomesOf(rotations),
  ]);
  expect(referenceCount).toBe(0);
  for (const code of codes) expect(['NOT_FOUND', 'CONFLICT']).toContain(code);
  expect((await secrets.byKeys([key])).get(key)?.status).toBe('revoked');
  expect(await valueForRun(key)).toBeUndefined();
  for (const { valueId } of done) expect(await vault.read(id, valueId ?? '')).toBeUndefined();
  await expect(vault.store(id, 'brought back', { restores: false })).rejects.toMatchObject({
    code: 'CONFLICT',
  });
});

test('an interrupted deletion has removed the value and can be completed', async () => {
  const { secrets, secretsOn, principal, table, valueForRun } = secretWorld();
  const { id } = await secrets.create(principal, { key, value: first });
  const dying = secretsOn({ table: dyingTable(table.tenant) });
  await expect(dying.remove(principal, id)).rejects.toThrow('killed');
  expect(await valueForRun(key)).toBeUndefined();
  await expect(secrets.update(principal, id, { value: second })).rejects.toMatchObject({ code: 'CONFLICT' });
  await secrets.remove(principal, id);
  expect(await secrets.create(principal, { key, value: second })).toMatchObject({ id, version: 2 });
  expect(await valueForRun(key)).toBe(second);
});

test('sets fifty values at once: new, rotated and revoked ones', async () => {
  const { secrets, principal, valueForRun } = secretWorld();
  const keys = many(50, (n) => `KEY_${n}`);
  await secrets.create(principal, { key: 'KEY_0', value: first });
  const { id } = await secrets.create(principal, { key: 'KEY_1', value: first });
  await secrets.remove(principal, id);
  const set = await secrets.setAll(
    principal,
    keys.map((key) => ({ key, value: `the value of ${key}` })),
  );
  expect(set.map(({ key }) => key)).toEqual(keys);
  expect(set.map(({ version }) => version)).toEqual([2, 2, ...many(48, () => 1)]);
  expect(set[1]?.id).toBe(id);
  for (const key of ['KEY_0', 'KEY_1', 'KEY_49']) expect(await valueForRun(key)).toBe(`the value of ${key}`);
  expect(await secrets.get(set[49]?.id ?? '')).toMatchObject({ key: 'KEY_49', status: 'active' });
});

test('if one of several secrets cannot be set, none is, and no new value remains', async () => {
  const kept: string[] = [];
  const { secrets, principal, table, valueForRun, vault } = secretWorld(noting(kept));
  const old = await secrets.create(principal, { key: 'OLD_KEY', value: first });
  const items = [
    { key: 'OLD_KEY', value: second },
    { key: 'NEW_KEY', value: second },
  ];
  const [one, other] = items as [(typeof items)[0], (typeof items)[0]];
  await expect(secrets.setAll(principal, [other, { ...one, expectedVersion: 7 }])).rejects.toMatchObject({
    code: 'CONFLICT',
  });
  expect(kept).toEqual([old.id]);

  const refused = table.writes.check(secretEntity, { key: 'NO_KEY' }, { expression: 'attribute_exists(PK)' });
  await expect(secrets.setAll(principal, items, [refused])).rejects.toThrow(ConditionFailed);
  const created = kept.find((id) => id !== old.id) ?? '';
  await expect(vault.store(created, 'brought back', { restores: false })).rejects.toMatchObject({
    code: 'CONFLICT',
  });
  // Its id leads to a key, but to no secret.
  expect(await table.get(secretIdEntity, { id: created })).toMatchObject({ key: 'NEW_KEY' });
  await expect(secrets.get(created)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect((await secrets.list()).map(({ key, version }) => [key, version])).toEqual([['OLD_KEY', 1]]);
  expect([await valueForRun('OLD_KEY'), await valueForRun('NEW_KEY')]).toEqual([first, undefined]);
});

test('further writes of the transaction are committed with the secrets', async () => {
  const { secrets, principal, table } = secretWorld();
  const alsoWrite = table.writes.insert(secretUseEntity, { key, by: 'flow_1' });
  const [secret] = await secrets.setAll(principal, [{ key, value: first }], [alsoWrite]);
  expect(await secrets.remove(principal, secret?.id ?? '')).toEqual({ referenceCount: 1 });
});
