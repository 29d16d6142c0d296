import { toChunks } from '../../core/chunks.ts';
import { conflict, notFound } from '../../core/errors/errors.ts';
import { resourceId } from '../../core/ids.ts';
import { feedbackRemover, type RunSubject } from '../../domain/feedback/run-feedback-store.ts';
import { runRowRemover } from '../../domain/run-metrics/remove-runs.ts';
import { insideRunsPartition, type Run, runEntity, runsPartition } from '../../domain/runs/run.ts';
import { using } from '../../platform/aws/uses.ts';
import { tombstoneEntity, tombstoneWrite } from '../../platform/cleanup/tombstone.ts';
import { decodeReadable } from '../../platform/data/entity.ts';
import { retryOnConflict } from '../../platform/data/retry-on-conflict.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Write } from '../../platform/data/writes.ts';
import { type Checkpoint, checkpointEntity, formatRows } from './checkpoint.ts';
import { getRedeliveryExpiry, readCheckpoints } from './read-checkpoints.ts';
import { toCostWrites, toModelUses } from './spending.ts';

/** The checkpoints and their cost refunds, mostly one write each, fit a transaction of 100. */
const checkpointsPerTransaction = 40;

const ExecutionId = resourceId('exec');
const exists = { expression: 'attribute_exists(PK) AND attribute_not_exists(#removed)' };

/** Ends a suspended run of a cancelled batch. @returns whether it did. */
type EndSuspendedRun = (
  run: Pick<Checkpoint, 'runId' | 'recordId' | 'flowId'> & { batchId: string },
) => Promise<boolean>;

/** The last transaction removes the first and last checkpoint, so an interrupted deletion can be repeated. */
export const deleteRunResult = (scope: Scope, endSuspendedRun: EndSuspendedRun = async () => false) => {
  const { table } = scope;

  async function remove(first: Checkpoint, others: readonly Checkpoint[]): Promise<void> {
    const middle = others.slice(0, -1);
    for (const some of toChunks(middle, checkpointsPerTransaction)) {
      await table.commit([...toRemovals(some), ...toCostRefunds(some)]);
    }
    const last = others.slice(-1);
    await table.commit([
      table.writes.put(checkpointEntity, toRemovedMarker(scope, first), exists),
      ...toRemovals(last),
      ...toCostRefunds([first, ...last]),
      tombstoneWrite(scope, first.runId),
    ]);
  }

  const toRemovals = (checkpoints: readonly Checkpoint[]): Write[] =>
    checkpoints.map((each) => table.writes.remove(checkpointEntity, each, exists));

  const toCostRefunds = (checkpoints: readonly Checkpoint[]): Write[] =>
    toCostWrites(
      table,
      checkpoints.flatMap((each) => toModelUses(each, each.results)),
      -1,
    );

  /** Ends a suspended run of a cancelled batch first. @throws ServiceError 404; 409 if the run is not finished */
  async function find(recordId: string, runId: string): Promise<[Checkpoint, ...Checkpoint[]]> {
    if (!ExecutionId.safeParse(runId).success) throw notFound('Result');
    const [first, ...others] = await readCheckpoints(scope, { recordId, runId });
    if (!first || first.removed || first.ttl !== undefined) throw notFound('Result');
    const flowDeleted = await table.get(tombstoneEntity, { id: first.flowId }, { consistent: true });
    if (flowDeleted) throw notFound('Result');
    const last = others.at(-1) ?? first;
    if (last.end) return [first, ...others];
    const { batchId } = first;
    if (batchId === null || !last.waiting || !(await endSuspendedRun({ ...first, batchId })))
      throw conflict('The run has not ended yet; wait until it ends, or cancel its batch');
    return find(recordId, runId);
  }

  return (recordId: string, runId: string): Promise<void> =>
    // A concurrent deletion may interfere: reads again what is left.
    retryOnConflict(async () => {
      const [first, ...others] = await find(recordId, runId);
      await remove(first, others);
    });
};

/** Marks the run as over for as long as its message may be redelivered. */
function toRemovedMarker(
  scope: Scope,
  { results: _results, pointers: _pointers, models: _models, ...first }: Checkpoint,
): Checkpoint {
  const { recordMetadata: _metadata, finished: _finished, waiting: _waiting, ...rest } = first;
  const end = first.end ?? { status: 'completed', error: null, at: scope.now().toISOString() };
  return {
    ...rest,
    end,
    results: [],
    rows: formatRows(first.runId, []),
    removed: true,
    ttl: getRedeliveryExpiry(scope),
  };
}

/** Removes the rows of a deleted flow, agent or tool, and the feedback on them. Reads all of the tenant: a read unit for eight runs. */
export const listedRunRemover = /* @__PURE__ */ using(
  ['table:write', runRowRemover, feedbackRemover],
  (scope: Scope) =>
    async (owner: RunSubject, onRemoved?: (runs: readonly Run[]) => Promise<void>): Promise<void> => {
      const [[name, id]] = Object.entries(owner) as [[string, string]];
      const filter = { expression: `#summary.#${name} = :owner`, values: { owner: id } };
      for (const partition of [runsPartition, insideRunsPartition]) {
        for await (const items of scope.table.pages({ partition, filter })) {
          const runs = decodeReadable(runEntity, items);
          await runRowRemover(scope)(runs);
          await onRemoved?.(runs);
        }
      }
      await feedbackRemover(scope).removeByOwner(owner);
    },
);
