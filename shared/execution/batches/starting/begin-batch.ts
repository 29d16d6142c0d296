import { measure } from '../../../core/invocation.ts';
import { log } from '../../../core/log.ts';
import { startedIn } from '../../../core/tracing/active-span.ts';
import type { Flow } from '../../../domain/flows/flow.ts';
import { flowStore } from '../../../domain/flows/flow-store.ts';
import { listRun } from '../../../domain/runs/run-list.ts';
import { using } from '../../../platform/aws/uses.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import type { Write } from '../../../platform/data/writes.ts';
import { startGate } from '../../budgets/start-gate.ts';
import { runVersions } from '../../runs/run-versions.ts';
import { type Batch, smallBatchMax } from '../batch.ts';
import { runOfBatch } from '../batch-run.ts';
import { batchStore } from '../batch-store.ts';
import { slotDivider, startWithinShare } from '../concurrency/tenant-slots.ts';
import type { BatchOptions, BatchOwner } from './batch-options.ts';
import { batchPlanner } from './batch-plan.ts';
import type { BatchRecords } from './batch-records.ts';

/** What a new batch may be given, beyond its options. */
type Given = BatchOptions & { id?: string; flowVersionId?: string } & Pick<
    Batch,
    'subFlows' | 'dispatched' | 'surface' | 'origin' | 'retryOf' | 'firstBatchId' | 'continues'
  >;

interface NewBatch extends BatchRecords {
  flow: Flow;
  owner: BatchOwner;
  given: Given;
  /** What is written in the transaction that creates it. Refused, it throws `BatchRefused`. */
  alsoWrite?: readonly Write[] | undefined;
}

/** Creates a batch and sends what starts it: all messages of a small one, and of a large one its first plan. */
export const batchBeginner = /* @__PURE__ */ using(
  [flowStore, batchPlanner, startGate, slotDivider],
  (scope: Scope) => {
    const { table, now, newId } = scope;
    const planner = batchPlanner(scope);

    function send(batch: Batch, records: readonly { id: string }[]): Promise<void> {
      if (batch.dispatched) return planner.resend(batch, 0);
      if (batch.planned) return planner.enqueue(batch, records, 0);
      return planner.enqueuePlan({ tenant: table.tenant, batchId: batch.id, after: null, n: 0 });
    }

    async function create(batch: Batch, listedIds: string[] | undefined, refusable: readonly Write[]) {
      const { recordConcurrency, totalRecords, planned } = batch;
      const slots = Math.min(recordConcurrency, totalRecords);
      await startWithinShare(scope, { ...batch, slots }, (share, alsoWrite) => {
        batch.slotShare = share;
        batch.claimedSlots =
          share === undefined ? undefined : Array.from({ length: share }, (_, slot) => slot);
        const recordIds = planned ? undefined : listedIds;
        return batchStore(scope).create(batch, { ...(recordIds && { recordIds }), alsoWrite, refusable });
      });
      measure('BatchesStarted');
    }

    return async ({ flow, owner, records, extent, given, alsoWrite = [] }: NewBatch): Promise<Batch> => {
      const { id: flowVersionId, steps, subFlows } = await versionFor(scope, flow, owner, given);
      await startGate(scope).flow(flow.id, steps, given);
      const planned = extent.totalRecords <= smallBatchMax;
      const isListed = extent.recordType === null && !given.dispatched;
      const recordIds = isListed ? records.map(({ id }) => id) : undefined;
      const batch: Batch = {
        id: newId('batch'),
        flowId: flow.id,
        flowName: flow.name,
        userId: owner.userId,
        organizationId: owner.organizationId,
        ...given,
        ...extent,
        flowVersionId,
        ...(subFlows && { subFlows }),
        planned,
        stopped: null,
        stoppedAt: null,
        error: null,
        startedAt: now().toISOString(),
        ...startedIn(),
        ...(planned && recordIds && { recordIds }),
      };
      await create(batch, recordIds, alsoWrite);
      // The batch exists and will run. An error here would make the caller start it again.
      const logError = (what: string) => (error: unknown) => log.error(what, { error, batchId: batch.id });
      await Promise.all([
        listRun(scope, runOfBatch(batch)),
        send(batch, records).catch(
          logError('The messages of a batch could not be sent; the sweeper will send them'),
        ),
        flowStore(scope).markRun(flow).catch(logError('The last run of a flow could not be recorded')),
      ]);
      if (batch.totalRecords === 0) await batchStore(scope).settle(batch.id);
      return batch;
    };
  },
);

/** What the batch runs: the version that its owner's environment runs now, or the given one, as it was linked before. */
function versionFor(
  scope: Scope,
  flow: Flow,
  { environment }: BatchOwner,
  { flowVersionId, subFlows }: Pick<Given, 'flowVersionId' | 'subFlows'>,
) {
  const versions = runVersions(scope);
  if (flowVersionId === undefined) return versions.of(flow, environment);
  return subFlows === undefined
    ? versions.get(flow.id, flowVersionId)
    : versions.started(flow.id, flowVersionId, subFlows);
}
