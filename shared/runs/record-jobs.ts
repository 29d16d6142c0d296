import { decode } from '../data/entity.ts';
import { tombstoneEntity } from '../data/tombstone.ts';
import { type RecordItem, recordEntity } from '../records/record.ts';
import type { Scope } from '../runtime.ts';
import { type Batch, batchEntity } from './batch.ts';
import type { RunMessage } from './batch-plan.ts';
import { type Checkpoint, checkpointEntity } from './checkpoint.ts';

/** A message with all that is known of its batch and its record. */
export interface RecordJob {
  message: RunMessage;
  batch: Batch | undefined;
  record: RecordItem | undefined;
  /** What an earlier attempt wrote first. */
  firstCheckpoint: Checkpoint | undefined;
  flowDeleted: boolean;
}

/** Reads what several messages need, in one round trip. */
export async function loadJobs({ table }: Scope, messages: readonly RunMessage[]): Promise<RecordJob[]> {
  const { tenant } = table;
  const items = await table.getMany(
    messages.flatMap((message) => [
      batchEntity.key(tenant, { id: message.batchId }),
      recordEntity.key(tenant, { id: message.recordId }),
      checkpointEntity.key(tenant, { ...message, index: 0 }),
      tombstoneEntity.key(tenant, { id: message.flowId }),
    ]),
    { consistent: true },
  );
  return messages.map((message, index) => {
    const [batch, record, checkpoint, tombstone] = items.slice(index * 4, index * 4 + 4);
    return {
      message,
      batch: batch && decode(batchEntity, batch),
      record: record && decode(recordEntity, record),
      firstCheckpoint: checkpoint && decode(checkpointEntity, checkpoint),
      flowDeleted: tombstone !== undefined,
    };
  });
}
