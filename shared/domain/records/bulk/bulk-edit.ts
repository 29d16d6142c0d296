/**
 * Edits the metadata of many records by one call, within its time.
 *
 * All records are read and the edits planned before the first write, so a call that cannot be done changes nothing. Edits are
 * written in transactions, several at once; if another writer changed a record, its edit is planned again on what it is now.
 * What time did not allow is reported, and the same call again does the rest, because done records need no edit any more.
 * Targets are in `bulk-targets.ts`, planning in `bulk-plan.ts`.
 */

import { outOfTime } from '../../../core/errors/errors.ts';
import { using } from '../../../platform/aws/uses.ts';
import { onConditionFailed } from '../../../platform/data/condition-failed.ts';
import { forEachInTime } from '../../../platform/data/for-each-in-time.ts';
import { isUnchanged } from '../../../platform/data/modify.ts';
import { retryOnConflict } from '../../../platform/data/retry-on-conflict.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import { responseBytesMax, takeWithinBytes } from '../../../platform/http/responses/body-sizes.ts';
import { type RecordItem, recordEntity } from '../record.ts';
import { recordStore } from '../record-store.ts';
import { bulkPlan, type MetadataChange, planEdit, type RecordEdit } from './bulk-plan.ts';
import { type BulkTargets, createTargetTest, targetPages } from './bulk-targets.ts';

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
