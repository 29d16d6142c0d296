import * as z from 'zod';
import { StepError } from '../../core/errors/step-error.ts';
import { defineEntity } from '../../platform/data/entity.ts';
import { tenantPartition } from '../../platform/data/keys.ts';
import { isUnchanged } from '../../platform/data/modify.ts';
import { retryOnConflict } from '../../platform/data/retry-on-conflict.ts';
import type { TenantTable } from '../../platform/data/table.ts';

/** A bucket has at most 10,000 indexes, which all tenants share. */
const indexesMax = 100;

/** The indexes that a tenant created: its collections, and one for the memories of each embedding model. */
const vectorIndexesEntity = defineEntity({
  type: 'vectorIndexes',
  schema: z.object({ names: z.array(z.string()), revision: z.int() }),
  key: () => ({ PK: tenantPartition('VECTORS'), SK: 'INDEXES' }),
});

/** Counts an index before it is created; once, however often it is asked. @throws StepError beyond the tenant's share. */
export const claimIndex = (table: TenantTable, name: string): Promise<void> =>
  retryOnConflict(async () => {
    const known = await table.get(vectorIndexesEntity, {}, { consistent: true });
    if (known?.names.includes(name)) return;
    const names = [...(known?.names ?? []), name];
    if (names.length > indexesMax) throw new StepError(tooMany);
    const write = known
      ? table.writes.put(vectorIndexesEntity, { names, revision: known.revision + 1 }, isUnchanged(known))
      : table.writes.insert(vectorIndexesEntity, { names, revision: 1 });
    await table.commit([write]);
  });

const tooMany = `The vector store answered 409: the tenant has ${indexesMax} collections, the maximum, counting one for the memories of each embedding model. Store in one of them`;
