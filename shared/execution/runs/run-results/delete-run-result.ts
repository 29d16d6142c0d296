import { chunksOf } from '../../../core/chunks.ts';
import { conflict, notFound } from '../../../core/errors.ts';
import { idOf } from '../../../core/ids.ts';
import { tombstoneEntity, tombstoneOf } from '../../../platform/cleanup/tombstone.ts';
import { retryOnConflict } from '../../../platform/data/retry-on-conflict.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import type { Write } from '../../../platform/data/writes.ts';
import { type Checkpoint, checkpointEntity, formatRows } from '../checkpoints/checkpoint.ts';
import { readCheckpoints, redeliveryExpiresAt } from '../checkpoints/read-checkpoints.ts';
import { costWrites, modelUsesOf, negated } from '../checkpoints/record-costs.ts';

/** Checkpoints and what they take back of the costs, which are mostly one write each, fit a transaction of 100. */
const checkpointsPerTransaction = 40;

const ExecutionId = idOf('exec');
const exists = { expression: 'attribute_exists(PK) AND attribute_not_exists(#removed)' };

/** Ends a run that is suspended, where its batch was stopped. @returns whether it did. */
type EndSuspendedRun = (
  run: Pick<Checkpoint, 'runId' | 'recordId' | 'flowId'> & { batchId: string },
) => Promise<boolean>;

/**
 * Deletes what a finished run left on a record, and takes back what it cost. The last transaction takes the first
 * and the last checkpoint: until then the result is there, and can be deleted once more if this one breaks off.
 */
export const deleteRunResult = (scope: Scope, endSuspendedRun: EndSuspendedRun = async () => false) => {
  const { table } = scope;

  async function remove(first: Checkpoint, others: readonly Checkpoint[]): Promise<void> {
    const middle = others.slice(0, -1);
    for (const some of chunksOf(middle, checkpointsPerTransaction)) {
      await table.commit([...removals(some), ...costRefunds(some)]);
    }
    const last = others.slice(-1);
    await table.commit([
      table.writes.put(checkpointEntity, markerOf(scope, first), exists),
      ...removals(last),
      ...costRefunds([first, ...last]),
      tombstoneOf(scope, first.runId),
    ]);
  }

  const removals = (checkpoints: readonly Checkpoint[]): Write[] =>
    checkpoints.map((each) => table.writes.remove(checkpointEntity, each, exists));

  const costRefunds = (checkpoints: readonly Checkpoint[]): Write[] =>
    costWrites(table, negated(checkpoints.flatMap((each) => modelUsesOf(each, each.results))));

  /**
   * The finished run as it is kept. One that is suspended is ended first where its batch was stopped.
   * @throws ServiceError 404 where there is none, 409 where it is not finished.
   */
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
      throw conflict('The run is not over yet');
    return find(recordId, runId);
  }

  return (recordId: string, runId: string): Promise<void> =>
    // Another one may delete it too: what is left is decided anew.
    retryOnConflict(async () => {
      const [first, ...others] = await find(recordId, runId);
      await remove(first, others);
    });
};

/** What stays for as long as the run's message may come again: that it is over. */
function markerOf(
  scope: Scope,
  { results: _results, pointers: _pointers, ...first }: Checkpoint,
): Checkpoint {
  const { recordMetadata: _metadata, finished: _finished, waiting: _waiting, ...rest } = first;
  const end = first.end ?? { status: 'completed', error: null, at: scope.now().toISOString() };
  return { ...rest, end, results: [], rows: formatRows([]), removed: true, ttl: redeliveryExpiresAt(scope) };
}
