import { recordEntity } from '../../../domain/records/record.ts';
import { tombstoneEntity } from '../../../platform/cleanup/tombstone.ts';
import { decode } from '../../../platform/data/entity.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import type { StoredItem } from '../../../platform/data/table.ts';
import { type Checkpoint, checkpointEntity } from '../../runs/checkpoints/checkpoint.ts';
import type { RunRecord } from '../../runs/run-variables.ts';
import { readEarlier } from '../../runs/step-results/reused-results.ts';
import { type Batch, batchEntity } from '../batch.ts';
import { type BatchInput, fetchBatchInput } from '../batch-input.ts';
import type { RunMessage } from '../messages/run-message.ts';

export interface RecordJob {
  message: RunMessage;
  batch: Batch | undefined;
  record: RunRecord | undefined;
  input: Pick<BatchInput, 'inputs' | 'messages'>;
  firstCheckpoint: Checkpoint | undefined;
  /** What earlier runs of the record have stored, if this one takes results of them. */
  earlierItems: readonly StoredItem[];
  flowDeleted: boolean;
}

/** Loads what several messages need, in one round trip. */
export const loadJobs = (scope: Scope, messages: readonly RunMessage[]): Promise<RecordJob[]> =>
  Promise.all(loadJobsSeparately(scope, messages));

/** The same, each by itself: what cannot be read of one does not hold up the others. */
export function loadJobsSeparately(scope: Scope, messages: readonly RunMessage[]): Promise<RecordJob>[] {
  const { table } = scope;
  const reading = table.getMany(
    messages.flatMap((message) => [
      batchEntity.key({ id: message.batchId }),
      // A placeholder key that matches nothing, so that each message has four keys.
      recordEntity.key({ id: message.recordId ?? '-' }),
      checkpointEntity.key({ ...message, index: 0 }),
      tombstoneEntity.key({ id: message.flowId }),
    ]),
    { consistent: true },
  );
  const readingEarlier = messages.map(({ recordId, takesEarlier }) =>
    recordId && takesEarlier ? readEarlier(scope, recordId) : [],
  );
  return messages.map(async (message, index) => {
    const [read, earlierItems] = await Promise.all([reading, readingEarlier[index]]);
    const [batchItem, recordItem, checkpoint, tombstone] = read.slice(index * 4, index * 4 + 4);
    const batch = batchItem && decode(batchEntity, batchItem);
    const { record: given, ...input } = await fetchBatchInput(scope, batch);
    return {
      message,
      batch,
      record: (recordItem && decode(recordEntity, recordItem)) ?? given,
      input,
      firstCheckpoint: checkpoint && decode(checkpointEntity, checkpoint),
      earlierItems: earlierItems ?? [],
      flowDeleted: tombstone !== undefined,
    };
  });
}
