import { apiKeyEntity } from '../../platform/auth/api-key.ts';
import { hashKey } from '../../platform/auth/key-format.ts';
import { combineRequirements } from '../../platform/aws/uses.ts';
import { onConditionFailed } from '../../platform/data/condition-failed.ts';
import { absent } from '../../platform/data/writes.ts';
import { defineMigration } from '../../platform/run-migration.ts';
import { readFormerValue, restoreFormerValue, retireFormerValue } from './former-test-key-values.ts';
import { keyValues, testKeyValueEntity } from './key-values.ts';

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
