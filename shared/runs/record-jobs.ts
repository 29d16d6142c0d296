import { decode } from '../data/entity.ts';
import { tombstoneEntity } from '../data/tombstone.ts';
import { type RecordItem, recordEntity } from '../records/record.ts';
import type { Scope } from '../runtime.ts';
import { type Batch, batchEntity, type RecordRun, recordRunEntity } from './batch.ts';
import type { RunMessage } from './batch-plan.ts';

/** A message with all that is known of its batch, its record and an earlier attempt. */
export interface RecordJob {
  message: RunMessage;
  batch: Batch | undefined;
  record: RecordItem | undefined;
  run: RecordRun | undefined;
  flowDeleted: boolean;
}

/** Reads what several messages need, in one round trip. */
export async function loadJobs({ table }: Scope, messages: readonly RunMessage[]): Promise<RecordJob[]> {
  const { tenant } = table;
  const items = await table.getMany(
    messages.flatMap((message) => [
      batchEntity.key(tenant, { id: message.batchId }),
      recordEntity.key(tenant, { id: message.recordId }),
      recordRunEntity.key(tenant, message),
      tombstoneEntity.key(tenant, { id: message.flowId }),
    ]),
    { consistent: true },
  );
  return messages.map((message, index) => {
    const [batch, record, run, tombstone] = items.slice(index * 4, index * 4 + 4);
    return {
      message,
      batch: batch && decode(batchEntity, batch),
      record: record && decode(recordEntity, record),
      run: run && decode(recordRunEntity, run),
      flowDeleted: tombstone !== undefined,
    };
  });
}
