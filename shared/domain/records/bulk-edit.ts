import { outOfTime } from '../../core/errors.ts';
import { forEachConcurrently } from '../../core/for-each-concurrently.ts';
import { using } from '../../platform/aws/uses.ts';
import { isUnchanged } from '../../platform/data/modify.ts';
import { retryOnConflict } from '../../platform/data/retry-on-conflict.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { type Edit, editOf, type MetadataChange, planOf, shownBytesMax } from './bulk-plan.ts';
import { type BulkTargets, targetPages, targetTest } from './bulk-targets.ts';
import { firstWithin } from './limits.ts';
import { type RecordItem, recordEntity } from './record.ts';
import { recordStore } from './record-store.ts';

export const writesAtOnce = 32;
/** What is kept back of a request's time to answer it. */
const reserveMs = 3_000;

interface Told {
  id: string;
  before: RecordItem['metadata'];
  after: RecordItem['metadata'];
}

export interface BulkEdited {
  /** Of all records that are as they were asked to be. */
  recordIds: string[];
  /** The first of them, as many as an answer takes. */
  data: Told[];
}

/** The work cannot go on, though some of it is done. */
class Halted extends Error {}

/**
 * Changes the metadata of many records. All of it is checked before the first write. A record that another writer
 * changed meanwhile is edited as that one left it. What a call leaves undone is done by sending it again.
 */
export const bulkEditor = /* @__PURE__ */ using([recordStore, { memoryMb: 1_769 }], (scope: Scope) => {
  const { getMany } = recordStore(scope);
  const { table } = scope;

  return async (
    targets: BulkTargets,
    change: MetadataChange,
    { dryRun, timeLeftMs }: { dryRun: boolean; timeLeftMs: () => number },
  ): Promise<BulkEdited> => {
    const edits = await planOf(targetPages(scope, targets, { timeLeftMs }), targets, change);
    if (dryRun) return told(edits);
    const done = new Map<string, Edit | undefined>();

    async function carryOut(planned: Edit): Promise<void> {
      const { id } = planned;
      let edit: Edit | undefined;
      const attempt = async () => {
        edit = edit ? await madeAnew(edit) : planned;
        if (edit?.metadata === undefined) return;
        if (timeLeftMs() < reserveMs) throw new Halted('The time of the call is over');
        const { metadata, revision } = edit;
        const changes = { set: { metadata, updatedAt: scope.now().toISOString() }, add: { revision: 1 } };
        await table.commit([table.writes.update(recordEntity, { id }, changes, isUnchanged({ revision }))]);
      };
      await retryOnConflict(attempt, { attempts: Number.POSITIVE_INFINITY });
      done.set(id, edit);
    }

    /** The edit of a record as another writer left it; nothing where it is gone or no longer meant. */
    async function madeAnew({ id, shown: earlier }: Edit): Promise<Edit | undefined> {
      const [record] = await getMany([id]);
      if (!record || !targetTest(targets, scope.now())(record)) return undefined;
      const { edit, shown, tooLarge } = editOf(record, change);
      if (tooLarge) throw new Halted(`The metadata of ${id} has become too large meanwhile`);
      // As it should be: perhaps by this call's own write, whose answer was lost.
      return earlier ? { ...edit, shown: edit.metadata === undefined ? earlier : shown } : edit;
    }

    await forEachConcurrently(edits, writesAtOnce, carryOut).catch((error) => {
      if (!(error instanceof Halted)) throw error;
      throw outOfTime(
        `${error.message}: ${done.size} of ${edits.length} records are done. Send the call again for the rest`,
      );
    });
    return told(edits.flatMap(({ id }) => done.get(id) ?? []));
  };
});

const told = (edits: readonly Edit[]): BulkEdited => ({
  recordIds: edits.map(({ id }) => id),
  data: firstWithin(
    edits.flatMap(({ id, shown }) => (shown ? { id, ...shown } : [])),
    shownBytesMax,
  ),
});
