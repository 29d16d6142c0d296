/**
 * Loads what a run of a batch needs (batch, record, first checkpoint, tombstone of its flow, input) in as few round
 * trips as possible.
 * `openJobLoader` gathers the runs that begin in one turn of the event loop; `openSlotLoader` also loads the next runs
 * of a group ahead if those before took less than `freshMs`. What is loaded ahead is used for `freshMs`, so that a
 * cancelled batch stops within a second, and never for a run that an earlier delivery may still write.
 * `loadGivenUpJob` is for the dead-letter worker: it skips what cannot be decoded, since the batch waits for the record
 * until it is counted.
 */
import { gatherCalls } from '../../core/concurrency/gather.ts';
import { log } from '../../core/log.ts';
import { recordEntity } from '../../domain/records/record.ts';
import { tombstoneEntity } from '../../platform/cleanup/tombstone.ts';
import { decode, decodeReadable } from '../../platform/data/entity.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { StoredItem } from '../../platform/data/table.ts';
import { type Checkpoint, checkpointEntity, runRange } from '../runs/checkpoint.ts';
import { readEarlier } from '../runs/reused-results.ts';
import type { RunRecord } from '../runs/run-variables.ts';
import { type Batch, type BatchInput, batchEntity, fetchBatchInput } from './batch.ts';
import type { DeliveredRuns, RunMessage } from './run-message.ts';

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

const toJobKeys = (message: RunMessage) => [
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
  const reading = table.getMany(messages.flatMap(toJobKeys), { consistent: true });
  const readingEarlier = messages.map(({ recordId, takesEarlier }) =>
    recordId && takesEarlier ? readEarlier(scope, recordId) : [],
  );
  return messages.map(async (message, index) => {
    const [read, earlierItems] = await Promise.all([reading, readingEarlier[index]]);
    const [batchItem, recordItem, checkpoint, tombstone] = read.slice(index * 4, index * 4 + 4);
    const batch = batchItem && decode(batchEntity, batchItem);
    const { record: inputRecord, ...input } = await fetchBatchInput(scope, batch);
    return {
      message,
      batch,
      record: (recordItem && decode(recordEntity, recordItem)) ?? inputRecord,
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
    scope.table.getMany(toJobKeys(message), { consistent: true }),
    scope.table.queryAll({ ...runRange(message), consistent: true }),
  ]);
  const batch = batchItem && decode(batchEntity, batchItem);
  const { record: inputRecord, ...input } = await fetchBatchInput(scope, batch).catch((error): BatchInput => {
    log.error('The input of a run cannot be read', { error });
    return {};
  });
  const [record = recordItem && toUnreadableRecord(message)] = decodeReadable(recordEntity, [recordItem]);
  const readable = decodeReadable(checkpointEntity, stored);
  return {
    message,
    batch,
    record: record ?? inputRecord,
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
const toUnreadableRecord = ({ recordId }: RunMessage): RunRecord => ({
  id: recordId,
  type: '',
  name: recordId ?? '',
  metadata: {},
});

/** How old what is loaded ahead may be, so that a cancelled batch ends within a second. */
const freshMs = 500;

export type JobLoader = ReturnType<typeof openJobLoader>;

/** Loads runs that begin at the same time in one round trip, such as those of all slots after a common commit. */
export const openJobLoader = (scope: Scope) =>
  gatherCalls((messages: readonly RunMessage[]) => loadJobsSeparately(scope, messages));

/** Loads the runs of a group, those that begin within `freshMs` together: a short run takes less time than its load. */
export function openSlotLoader(load: JobLoader, { now }: Scope) {
  const ahead = new Map<string, { job: Promise<RecordJob>; at: number }>();
  const begun = new Set<string>();
  let lastAt: number | undefined;

  function loadAhead(message: RunMessage, at: number): Promise<RecordJob> {
    const job = load(message);
    // It is reported when the run begins.
    job.catch(() => {});
    ahead.set(message.runId, { job, at });
    return job;
  }

  /** Loads a run that begins now, and those that begin soon. */
  function find([delivered, ...later]: DeliveredRuns): Promise<RecordJob> {
    const at = now().getTime();
    const runMs = lastAt === undefined ? freshMs : Math.max(1, at - lastAt);
    const loaded = ahead.get(delivered.runId);
    if (loaded && at - loaded.at < freshMs) return loaded.job;
    ahead.clear();
    const begunOrLoaded = new Set([...begun, delivered.runId]);
    for (const { runId, message, deliveries } of later.slice(0, Math.floor(freshMs / runMs) - 1)) {
      // An earlier delivery may write until its lease ends. A message may have been sent twice: what it reads of a run that
      // has begun must be newer than the end of that run.
      if (deliveries > 1 || begunOrLoaded.has(runId)) continue;
      begunOrLoaded.add(runId);
      loadAhead(message, at);
    }
    return loadAhead(delivered.message, at);
  }

  return {
    /** The batch of a run that begins next. */
    findBatch: async (rest: DeliveredRuns) => (await find(rest)).batch,
    begin(rest: DeliveredRuns): Promise<RecordJob> {
      const [{ runId }] = rest;
      const job = find(rest);
      ahead.delete(runId);
      begun.add(runId);
      lastAt = now().getTime();
      return job;
    },
  };
}
