import { log } from '../../../core/log.ts';
import { recordEntity } from '../../../domain/records/record.ts';
import { tombstoneEntity } from '../../../platform/cleanup/tombstone.ts';
import { decode, decodeReadable } from '../../../platform/data/entity.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import type { StoredItem } from '../../../platform/data/table.ts';
import { type Checkpoint, checkpointEntity, runRange } from '../../runs/checkpoints/checkpoint.ts';
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

const jobKeys = (message: RunMessage) => [
  batchEntity.key({ id: message.batchId }),
  // A placeholder key that matches nothing, so that each message has four keys.
  recordEntity.key({ id: message.recordId ?? '-' }),
  checkpointEntity.key({ ...message, index: 0 }),
  tombstoneEntity.key({ id: message.flowId }),
];

/** Loads what several messages need, in one round trip. */
export const loadJobs = (scope: Scope, messages: readonly RunMessage[]): Promise<RecordJob[]> =>
  Promise.all(loadJobsSeparately(scope, messages));

/** The same, each by itself: what cannot be read of one does not hold up the others. */
export function loadJobsSeparately(scope: Scope, messages: readonly RunMessage[]): Promise<RecordJob>[] {
  const { table } = scope;
  const reading = table.getMany(messages.flatMap(jobKeys), { consistent: true });
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

/** A job of a run that is given up on. */
export interface GivenUpJob extends RecordJob {
  /** The checkpoints of the run that can be read. */
  readable: readonly Checkpoint[];
  /** How many it has. */
  written: number;
  hasEnded: boolean;
}

/**
 * Loads what failing a record needs, without what cannot be read: that may be why its runs failed, and the batch waits for
 * the record until it is counted.
 */
export async function loadGivenUpJob(scope: Scope, message: RunMessage): Promise<GivenUpJob> {
  const [[batchItem, recordItem, , tombstone], stored] = await Promise.all([
    scope.table.getMany(jobKeys(message), { consistent: true }),
    scope.table.queryAll({ ...runRange(message), consistent: true }),
  ]);
  const batch = batchItem && decode(batchEntity, batchItem);
  const { record: given, ...input } = await fetchBatchInput(scope, batch).catch((error): BatchInput => {
    log.error('The input of a run cannot be read', { error });
    return {};
  });
  const [record = recordItem && unreadable(message)] = decodeReadable(recordEntity, [recordItem]);
  const readable = decodeReadable(checkpointEntity, stored);
  return {
    message,
    batch,
    record: record ?? given,
    input,
    firstCheckpoint: readable[0],
    readable,
    written: stored.length,
    hasEnded: readable.some(({ end }) => end) || stored.some(isLastOfRun),
    earlierItems: [],
    flowDeleted: tombstone !== undefined,
  };
}

/** What every checkpoint says by itself, even one that cannot be decoded. */
const isLastOfRun = ({ summary }: StoredItem) =>
  (summary as { finished?: unknown } | undefined)?.finished !== undefined;

/** A record that exists, and whose item cannot be read. */
const unreadable = ({ recordId }: RunMessage): RunRecord => ({
  id: recordId,
  type: '',
  name: recordId ?? '',
  metadata: {},
});
