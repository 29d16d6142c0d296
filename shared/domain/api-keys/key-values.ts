/**
 * The stored values of test keys, which a session may reveal; values of live keys are never stored.
 * A value is encrypted with one KMS key and written in the transaction that stores its key, and removed in the one that
 * deletes it; its item is apart from the key's, which every request updates.
 * Until migration 1 each value was a secret in Secrets Manager. `testKeyValues` still reads those, and
 * `moveTestKeyValues` moves them: item first, then the secret is deleted with a recovery window, so that a crash leaves
 * the value in at least one place and the migration can be repeated.
 * Callers: the endpoints of API keys, surfaces and products, and the migrations.
 */
import {
  DeleteSecretCommand,
  GetSecretValueCommand,
  InvalidRequestException,
  ResourceNotFoundException,
  RestoreSecretCommand,
} from '@aws-sdk/client-secrets-manager';
import * as z from 'zod';
import { apiKeyEntity } from '../../platform/auth/api-key.ts';
import { hashKey } from '../../platform/auth/key-format.ts';
import { composeSecretName, decrypt, encrypt, secretsManager } from '../../platform/aws/secrets-manager.ts';
import { combineRequirements, using } from '../../platform/aws/uses.ts';
import { onConditionFailed } from '../../platform/data/condition-failed.ts';
import { defineEntity } from '../../platform/data/entity.ts';
import { tenantPartition } from '../../platform/data/keys.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { absent, type Write, type WriteCondition } from '../../platform/data/writes.ts';
import type { Actor } from '../../platform/identity/audit.ts';
import { defineMigration } from '../../platform/migrations/run-migration.ts';
import { apiKeyStore } from './api-key-store.ts';

/** The encrypted value of a test key, of the tenant or of a surface. An item of its own: every request updates the key's item. */
export const testKeyValueEntity = defineEntity({
  type: 'testKeyValue',
  schema: z.object({ id: z.string(), ciphertext: z.string() }),
  key: ({ id }: { id: string }) => ({ PK: tenantPartition('KEYVALUES'), SK: id }),
});

const keyEnv = 'TEST_KEYS_KMS_KEY';

const toContext = (tenant: string, keyId: string) => ({ tenant, keyId });

/** Encrypts the values of new test keys with one KMS key. The values of live keys are never stored. */
export const keyValueWriter = /* @__PURE__ */ using(
  ['test-keys:write', 'table:write'],
  ({ table }: Scope) => ({
    /** Encrypts a value. Commit the write in the transaction that stores the key. */
    async createWrite(id: string, plainKey: string, condition?: WriteCondition): Promise<Write> {
      const ciphertext = await encrypt(keyEnv, plainKey, toContext(table.tenant, id));
      return table.writes.put(testKeyValueEntity, { id, ciphertext }, condition);
    },
  }),
);

/** Commit the write in the transaction that deletes the key. */
export const createKeyValueRemoval = ({ table }: Pick<Scope, 'table'>, id: string): Write =>
  table.writes.remove(testKeyValueEntity, { id });

/** The values of test keys, which a session may reveal. */
export const keyValues = /* @__PURE__ */ using(['test-keys', keyValueWriter], (scope: Scope) => ({
  ...keyValueWriter(scope),

  async read(id: string): Promise<string | undefined> {
    const { table } = scope;
    const stored = await table.get(testKeyValueEntity, { id }, { consistent: true });
    return stored && decrypt(keyEnv, stored.ciphertext, toContext(table.tenant, id));
  },
}));

/** Where values of test keys were until migration 1: a secret of Secrets Manager each. Read, no longer written. */
const toSecretName = (tenant: string, keyId: string) => composeSecretName(tenant, 'api-keys', keyId);

/** @returns undefined if there is none, or if it is being deleted. */
async function readFormerValue(tenant: string, keyId: string): Promise<string | undefined> {
  const command = new GetSecretValueCommand({ SecretId: toSecretName(tenant, keyId) });
  return (await secretsManager().send(command).catch(ignoreMissing))?.SecretString;
}

/** The same, but first restores one that is being deleted. */
async function restoreFormerValue(tenant: string, keyId: string): Promise<string | undefined> {
  await secretsManager()
    .send(new RestoreSecretCommand({ SecretId: toSecretName(tenant, keyId) }))
    .catch(ignoreMissing);
  return readFormerValue(tenant, keyId);
}

/** Deletes it without a recovery window: deleted keys cannot be restored. A missing one is no error. */
async function removeFormerValue(tenant: string, keyId: string): Promise<void> {
  const SecretId = toSecretName(tenant, keyId);
  await secretsManager().send(new DeleteSecretCommand({ SecretId, ForceDeleteWithoutRecovery: true }));
}

/** The longest window. A table that is restored to a moment before the migration needs the value. */
const recoveryDays = 30;

/** Deletes it after a recovery window. */
async function retireFormerValue(tenant: string, keyId: string): Promise<void> {
  const SecretId = toSecretName(tenant, keyId);
  await secretsManager()
    .send(new DeleteSecretCommand({ SecretId, RecoveryWindowInDays: recoveryDays }))
    .catch(ignoreMissing);
}

function ignoreMissing(error: unknown): undefined {
  if (error instanceof ResourceNotFoundException || error instanceof InvalidRequestException) return;
  throw error;
}

/** The values of the tenant's test keys, also those that migration 1 has not moved yet. */
export const testKeyValues = /* @__PURE__ */ using([keyValues, 'test-keys:former'], (scope: Scope) => {
  const { tenant } = scope.table;
  const values = keyValues(scope);
  return {
    ...values,
    read: async (id: string): Promise<string | undefined> =>
      (await values.read(id)) ?? readFormerValue(tenant, id),

    /** Call it once the key is deleted. */
    removeFormer: (id: string): Promise<void> => removeFormerValue(tenant, id),
  };
});

/** Moves the values of test keys from a secret each to items that one KMS key encrypts. */
export const moveTestKeyValues = defineMigration({
  id: '1-test-key-values',
  entity: apiKeyEntity,
  filter: { expression: '#environment = :environment', values: { environment: 'test' } },
  uses: combineRequirements(keyValues, 'test-keys:former', 'test-keys:restore').uses,

  async apply(scope, { id, hash }) {
    const { table } = scope;
    const { tenant } = table;
    const isMoved = Boolean(await table.get(testKeyValueEntity, { id }, { consistent: true }));
    const former = await (isMoved ? readFormerValue : restoreFormerValue)(tenant, id);
    if (former === undefined) return false;
    // The value of a key that was regenerated since is of no use.
    if (!isMoved && hashKey(former) === hash) {
      const write = await keyValues(scope).createWrite(id, former, absent);
      const unchanged = { expression: '#hash = :hash', values: { hash } };
      // Refused if another process moves it, or a request deletes or regenerates the key: then nothing is missing.
      await table
        .commit([write, table.writes.check(apiKeyEntity, { id }, unchanged)])
        .catch(onConditionFailed(undefined));
    }
    await retireFormerValue(tenant, id);
    return true;
  },
});

/** Deletes a key and, of a test key, the stored value. @throws 404, 409 if its value changed at the same time */
export const keyRemoval = /* @__PURE__ */ using(
  [apiKeyStore, testKeyValues, 'table:delete'],
  (scope: Scope) => {
    const apiKeys = apiKeyStore(scope);
    const values = testKeyValues(scope);
    return async (by: Actor, id: string): Promise<void> => {
      const key = await apiKeys.get(id);
      const isTest = key.environment === 'test';
      await apiKeys.remove(by, key, isTest ? [createKeyValueRemoval(scope, key.id)] : []);
      if (isTest) await values.removeFormer(key.id);
    };
  },
);
