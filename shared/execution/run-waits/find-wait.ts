import { invalidAt, notFound } from '../../core/errors/errors.ts';
import { getIdKind } from '../../core/ids.ts';
import { type RunWait, waitView } from '../../domain/run-waits/run-wait.ts';
import { waitStore } from '../../domain/run-waits/wait-store.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { countResponseBytes } from '../../platform/http/responses/body-sizes.ts';
import { batchEntity } from '../batches/batch.ts';
import { toRecordRunId } from '../batches/batch-plan.ts';

export interface WantedWait {
  /** The run that waits, or the batch of its record. */
  id: string;
  /** The id of the step, or its path. */
  stepId: string;
  itemKey?: string | undefined;
  recordId?: string | undefined;
}

/** A response has room for these. */
const shownMax = { waits: 100, bytes: 1_000_000 };

function takeFitting(waits: readonly RunWait[]): RunWait[] {
  let bytes = 0;
  return waits.slice(0, shownMax.waits).filter((wait) => {
    bytes += countResponseBytes(waitView(wait, { mayContinue: true }));
    return bytes <= shownMax.bytes;
  });
}

/** The open waits of a run, or of the records of a batch. */
export const openWaits = /* @__PURE__ */ using(
  [waitStore],
  (scope: Scope) =>
    async (id: string): Promise<RunWait[]> => {
      const isBatch = getIdKind(id) === 'batch';
      const all = isBatch ? await waitStore(scope).listByListedRun(id) : await waitStore(scope).listByRun(id);
      return takeFitting(all.filter(({ answer }) => answer === undefined));
    },
);

/** The run of a record in a batch. @throws 400 without a record, 404 for an unknown batch */
async function runOfRecord({ table }: Scope, id: string, recordId: string | undefined): Promise<string> {
  if (recordId === undefined) {
    throw invalidAt(
      'recordId',
      'MISSING_REQUIRED_FIELD',
      'Required: the record of the batch whose run waits',
    );
  }
  const batch = await table.get(batchEntity, { id });
  if (!batch) throw notFound('Wait');
  return batch.dispatched?.runId ?? toRecordRunId(batch, recordId);
}

/** @throws 404 if nothing waits there, 400 if several do */
export const waitFinder = /* @__PURE__ */ using(
  [waitStore, 'table:read'],
  (scope: Scope) =>
    async ({ id, stepId, itemKey, recordId }: WantedWait): Promise<RunWait> => {
      const runId = getIdKind(id) === 'batch' ? await runOfRecord(scope, id, recordId) : id;
      const all = await waitStore(scope).listByRun(runId);
      const found = all.filter(
        (wait) =>
          wait.kind === 'approval' &&
          (wait.stepId === stepId || wait.stepPath === stepId) &&
          (itemKey === undefined || wait.itemKey === itemKey) &&
          (recordId === undefined || wait.recordId === recordId),
      );
      const open = found.filter(({ answer }) => answer === undefined);
      const [first, another] = open.length > 0 ? open : found;
      if (!first) throw notFound('Wait');
      if (another) {
        const paths = open.map(({ stepPath }) => stepPath).slice(0, 5);
        const message = `Several items wait in this step. Give itemKey, or as stepId one of ${paths.join(', ')}`;
        throw invalidAt(itemKey === undefined ? 'itemKey' : 'stepId', 'MISSING_REQUIRED_FIELD', message);
      }
      return first;
    },
);
