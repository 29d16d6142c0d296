/**
 * Edits the metadata of many records by one call, within its time.
 * All records are read and the edits planned before the first write (`bulkPlan`), so a call that cannot be done changes
 * nothing. Edits are written in transactions, several at once; if another writer changed a record, its edit is planned
 * again on the record's new content.
 * What time did not allow is reported, and the same call again does the rest, because finished records need no edit any
 * more. A crash leaves some records edited, which the same call continues.
 * `functions/records/bulk-edit.ts` is the caller; `bulk-targets.ts` finds the records.
 */
import { eventLoopYielder } from '../../../core/concurrency/event-loop.ts';
import { type ErrorDetail, invalid, invalidAt, outOfTime } from '../../../core/errors/errors.ts';
import { using } from '../../../platform/aws/uses.ts';
import { onConditionFailed } from '../../../platform/data/condition-failed.ts';
import { forEachInTime } from '../../../platform/data/for-each-in-time.ts';
import { isUnchanged } from '../../../platform/data/modify.ts';
import { retryOnConflict } from '../../../platform/data/retry-on-conflict.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import { responseBytesMax, takeWithinBytes } from '../../../platform/http/responses/body-sizes.ts';
import { metadataBytesMax, type RecordItem, recordEntity } from '../record.ts';
import { recordStore } from '../record-store.ts';
import { type BulkTargets, createTargetTest, getTargetsMember, targetPages } from './bulk-targets.ts';

/** Requests at once, of a transaction each. */
export const writesAtOnce = 16;
/** A transaction takes a tenth of the CPU of single writes, but twice their write units: large records are written alone. */
const togetherMax = 25;
const bytesTogetherMax = 64_000;

interface EditedRecord {
  id: string;
  before: RecordItem['metadata'];
  after: RecordItem['metadata'];
}

export interface BulkEdited {
  /** All records that have the requested values. */
  recordIds: string[];
  /** The first records, as many as fit the response. */
  data: EditedRecord[];
}

/** The edit cannot continue, though some records are done. */
class Halted extends Error {}

const haltOnTimeout = () => new Halted('The time limit of the call was reached');

/** Checks everything before the first write. Retries records that changed. Idempotent: the same call again does the rest. */
export const bulkEditor = /* @__PURE__ */ using([recordStore, { memoryMb: 1_769 }], (scope: Scope) => {
  const { getMany } = recordStore(scope);
  const { table } = scope;

  return async (
    targets: BulkTargets,
    change: MetadataChange,
    { dryRun, timeLeftMs }: { dryRun: boolean; timeLeftMs: () => number },
  ): Promise<BulkEdited> => {
    const edits = await bulkPlan(targetPages(scope, targets, { timeLeftMs }), targets, change);
    if (dryRun) return bulkEdited(edits);
    const done = new Map<string, RecordEdit | undefined>();

    const toWrite = ({ id, metadata = '', revision }: RecordEdit) => {
      const changes = { set: { metadata, updatedAt: scope.now().toISOString() }, add: { revision: 1 } };
      return table.writes.update(recordEntity, { id }, changes, isUnchanged({ revision }));
    };

    /** Writes edits in one transaction, or each by itself if another writer changed a record meanwhile. */
    async function applyTogether(edits: readonly RecordEdit[], signal: AbortSignal): Promise<void> {
      const isWritten =
        edits.length > 1 &&
        (await table.commit(edits.map(toWrite)).then(() => true, onConditionFailed(false)));
      for (const edit of edits) {
        if (!isWritten) await applyEdit(edit, signal);
        else if (!signal.aborted) done.set(edit.id, edit);
      }
    }

    async function applyEdit(planned: RecordEdit, signal: AbortSignal): Promise<void> {
      let edit: RecordEdit | undefined;
      const writeEdit = async () => {
        edit = edit ? await replanEdit(edit) : planned;
        if (edit?.metadata === undefined) return;
        if (signal.aborted) throw haltOnTimeout();
        await table.commit([toWrite(edit)]);
      };
      await retryOnConflict(writeEdit, { attempts: Number.POSITIVE_INFINITY });
      if (!signal.aborted) done.set(planned.id, edit);
    }

    /** The edit of a record that another writer changed; undefined if it was deleted or no longer matches. */
    async function replanEdit({ id, shown: earlier }: RecordEdit): Promise<RecordEdit | undefined> {
      const [record] = await getMany([id]);
      if (!record || !createTargetTest(targets, scope.now())(record)) return undefined;
      const { edit, shown, tooLarge } = planEdit(record, change);
      if (tooLarge) throw new Halted(`The metadata of ${id} became too large because of another request`);
      // The record already has the requested values, perhaps from this call's own write whose response was lost.
      return earlier ? { ...edit, shown: edit.metadata === undefined ? earlier : shown } : edit;
    }

    for (const edit of edits) if (edit.metadata === undefined) done.set(edit.id, edit);
    const limits = { atOnce: writesAtOnce, timeLeftMs };
    const writing = forEachInTime(groupTransactions(edits), limits, applyTogether).then((unfinished) => {
      if (unfinished.length > 0) throw haltOnTimeout();
    });
    await writing.catch((error) => {
      if (!(error instanceof Halted)) throw error;
      throw outOfTime(
        `${error.message}: ${done.size} of ${edits.length} records are done. Send the call again for the rest`,
      );
    });
    return bulkEdited(edits.flatMap(({ id }) => done.get(id) ?? []));
  };
});

/** The edits that change something, those of one transaction together. */
function* groupTransactions(edits: readonly RecordEdit[]): Generator<RecordEdit[]> {
  let together: RecordEdit[] = [];
  let bytes = 0;
  for (const edit of edits) {
    if (edit.metadata === undefined) continue;
    bytes += Buffer.byteLength(edit.metadata);
    if (together.length === togetherMax || (together.length > 0 && bytes > bytesTogetherMax)) {
      yield together;
      [together, bytes] = [[], Buffer.byteLength(edit.metadata)];
    }
    together.push(edit);
  }
  if (together.length > 0) yield together;
}

const bulkEdited = (edits: readonly RecordEdit[]): BulkEdited => ({
  recordIds: edits.map(({ id }) => id),
  data: takeWithinBytes(
    edits.flatMap(({ id, shown }) => (shown ? { id, ...shown } : [])),
    responseBytesMax,
  ),
});

export const recordsPerEdit = 10_000;
/** All new metadata together: it is in memory at once, and the time to write it is limited. */
const plannedBytesMax = 64_000_000;
const shownMax = 1_000;

type Metadata = RecordItem['metadata'];

interface MetadataChange {
  updates: Metadata;
  deleteFields: ReadonlySet<string>;
}

interface RecordEdit {
  id: string;
  revision: number;
  /** The new metadata as stored JSON text; absent if the record does not change. */
  metadata?: string;
  /** Only for records in the response. */
  shown?: { before: Metadata; after: Metadata };
}

function planEdit({ id, revision, metadata: before }: RecordItem, change: MetadataChange) {
  const merged: Metadata = { ...before, ...change.updates };
  const after = Object.fromEntries(
    Object.entries(merged).filter(([field]) => !change.deleteFields.has(field)),
  );
  const [old, metadata] = [JSON.stringify(before), JSON.stringify(after)];
  const bytes = Buffer.byteLength(metadata);
  return {
    edit: { id, revision, ...(metadata !== old && { metadata }) },
    shown: { before, after },
    bytes: metadata === old ? 0 : bytes,
    shownBytes: Buffer.byteLength(old) + bytes,
    tooLarge: metadata !== old && bytes > metadataBytesMax,
  };
}

/** Plans the edits of all records. @throws ServiceError 400 if one of them is impossible; nothing is written then. */
export async function bulkPlan(
  pages: AsyncIterable<RecordItem[]>,
  targets: BulkTargets,
  change: MetadataChange,
): Promise<RecordEdit[]> {
  const edits: RecordEdit[] = [];
  const tooLarge: string[] = [];
  let bytesLeft = plannedBytesMax;
  let shownBytesLeft = responseBytesMax;
  const turn = eventLoopYielder();
  for await (const records of pages) {
    for (const record of records) {
      const { edit, shown, ...sizes } = planEdit(record, change);
      bytesLeft -= sizes.bytes;
      shownBytesLeft -= sizes.shownBytes;
      if (sizes.tooLarge) tooLarge.push(record.id);
      const isShown = edits.length < shownMax && shownBytesLeft >= 0;
      edits.push(isShown ? { ...edit, shown } : edit);
      if (edits.length > recordsPerEdit) throw createRefusal(targets, tooMany);
      if (bytesLeft < 0) throw createRefusal(targets, tooMuch);
      await turn();
    }
  }
  if (tooLarge.length > 0) throw invalid(tooLarge.slice(0, 10).map(createTooLargeDetail));
  return edits;
}

export const importAdvice = 'An import with mode "upsert" (POST /v1/imports) changes any number';
const tooMany = `More than ${recordsPerEdit} records match, the maximum for one call; nothing was changed. ${importAdvice}`;
const tooMuch = `The new metadata of all records has more than ${plannedBytesMax} bytes; nothing was changed: edit fewer records at a time. ${importAdvice}`;
const createRefusal = (targets: BulkTargets, message: string) =>
  invalidAt(getTargetsMember(targets), 'TOO_MANY_RECORDS', message);

const createTooLargeDetail = (id: string): ErrorDetail => ({
  path: 'updates',
  code: 'TOO_LARGE',
  message: `The updates would give ${id} more than ${metadataBytesMax} bytes of metadata as JSON; nothing was changed`,
});
