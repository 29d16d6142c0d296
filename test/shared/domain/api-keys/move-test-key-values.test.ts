import {
  CreateSecretCommand,
  GetSecretValueCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { expect, test } from 'vitest';
import { testKeyValueEntity } from '../../../../shared/domain/api-keys/key-values.ts';
import { moveTestKeyValues } from '../../../../shared/domain/api-keys/move-test-key-values.ts';
import { apiKeyEntity } from '../../../../shared/platform/auth/api-key.ts';
import { composeSecretName } from '../../../../shared/platform/aws/secrets-manager.ts';
import { brokenTable, outage } from '../../../support/data/broken-table.ts';
import { expectStatus } from '../../../support/flows/flows.ts';
import { newKey } from '../../../support/stack/keys.ts';
import { countingRuntime, newTenant, type Tenant } from '../../../support/stack/stack.ts';

const secrets = new SecretsManagerClient({});

/** A test key whose value is where it was before the migration. */
async function formerKey(tenant: Tenant) {
  const { id, plainKey } = await newKey(tenant, { environment: 'test' });
  const scope = countingRuntime().scopeOf(tenant.tenant);
  const { table } = scope;
  await table.commit([table.writes.remove(testKeyValueEntity, { id })]);
  const SecretId = composeSecretName(tenant.tenant, 'api-keys', id);
  await secrets.send(new CreateSecretCommand({ Name: SecretId, SecretString: plainKey }));
  return {
    id,
    plainKey,
    table,
    apply: async () => {
      const key = await table.get(apiKeyEntity, { id }, { consistent: true });
      return key ? moveTestKeyValues.apply(scope, key) : false;
    },
    reveal: async () => (await tenant.call('GET', `/v1/api-keys/${id}/reveal`)).body.key,
    isStored: async () => (await table.get(testKeyValueEntity, { id }, { consistent: true })) !== undefined,
    former: () =>
      secrets.send(new GetSecretValueCommand({ SecretId })).then(
        ({ SecretString }) => SecretString,
        ({ name }) => name,
      ),
  };
}
const recoverable = 'InvalidRequestException';

test('the value of a test key moves from Secrets Manager to an encrypted item; it is revealed before and after', async () => {
  const key = await formerKey(await newTenant());
  expect(await key.reveal()).toBe(key.plainKey);
  expect(await key.apply()).toBe(true);
  expect([await key.isStored(), await key.former()]).toEqual([true, recoverable]);
  expect(await key.reveal()).toBe(key.plainKey);
  expect(await key.apply()).toBe(false);
});

test('a value is deleted from Secrets Manager only after its item is committed', async () => {
  const tenant = await newTenant();
  const key = await formerKey(tenant);
  const before = (command: string) => {
    if (command === 'TransactWriteItems') throw outage();
  };
  const scope = {
    ...countingRuntime().scopeOf(tenant.tenant),
    table: brokenTable(tenant.tenant, { before }),
  };
  const stored = await key.table.get(apiKeyEntity, { id: key.id });
  if (!stored) throw new Error('No key');
  await expect(moveTestKeyValues.apply(scope, stored)).rejects.toThrow('Internal server error');
  expect([await key.isStored(), await key.former()]).toEqual([false, key.plainKey]);
  expect(await key.reveal()).toBe(key.plainKey);
});

test('two workers that move the same value do not disturb each other', async () => {
  const key = await formerKey(await newTenant());
  await Promise.all([key.apply(), key.apply(), key.apply()]);
  expect([await key.isStored(), await key.former()]).toEqual([true, recoverable]);
  expect(await key.reveal()).toBe(key.plainKey);
});

test('a key that is regenerated before its value moves keeps its new value', async () => {
  const tenant = await newTenant();
  const key = await formerKey(tenant);
  const { plainKey } = await expectStatus(200, tenant.call('POST', `/v1/api-keys/${key.id}/regenerate`));
  expect(await key.apply()).toBe(true);
  expect([await key.former(), await key.reveal()]).toEqual([recoverable, plainKey]);
});

test('a key that is deleted while its value moves leaves no value behind', async () => {
  const tenant = await newTenant();
  const key = await formerKey(tenant);
  const scope = countingRuntime().scopeOf(tenant.tenant);
  const seen = await scope.table.get(apiKeyEntity, { id: key.id });
  if (!seen) throw new Error('No key');
  // The request commits its deletion after the migration has read the value.
  const { table } = scope;
  await table.commit([table.writes.remove(apiKeyEntity, { id: key.id })]);
  await moveTestKeyValues.apply(scope, seen);
  expect(await key.isStored()).toBe(false);
});

test('in a table that was restored to a moment before, the migration restores the value and moves it again', async () => {
  const key = await formerKey(await newTenant());
  await key.apply();
  await key.table.commit([key.table.writes.remove(testKeyValueEntity, { id: key.id })]);
  expect(await key.reveal()).toBeUndefined();
  expect(await key.apply()).toBe(true);
  expect([await key.isStored(), await key.former()]).toEqual([true, recoverable]);
  expect(await key.reveal()).toBe(key.plainKey);
});
