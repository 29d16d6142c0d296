import * as z from 'zod';
import { decrypt, encrypt } from '../../platform/aws/kms.ts';
import { using } from '../../platform/aws/uses.ts';
import { defineEntity } from '../../platform/data/entity.ts';
import { tenantPartition } from '../../platform/data/keys.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Write, WriteCondition } from '../../platform/data/writes.ts';

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
