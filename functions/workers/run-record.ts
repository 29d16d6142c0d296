import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { agentRunQueue } from '../../shared/domain/agents/agent-run-queue.ts';
import { groupCommits } from '../../shared/execution/batches/group-commit.ts';
import { openJobLoader, openSlotLoader } from '../../shared/execution/batches/record-jobs.ts';
import { type Delivered, readDelivered, setRetryTimes } from '../../shared/execution/batches/run-message.ts';
import { getSlotWidth, holdSlot } from '../../shared/execution/batches/slot-sharing.ts';
import { openPorts } from '../../shared/execution/open-ports.ts';
import { runRecord, settleBatchNow } from '../../shared/execution/record-runs/run-record.ts';
import {
  type InvocationWork,
  openEarlyDeletes,
  openSlotPermits,
  runGroup,
} from '../../shared/execution/record-runs/run-slot.ts';
import { combineRequirements } from '../../shared/platform/aws/uses.ts';
import { toWorker } from '../../shared/platform/aws/worker.ts';
import type { Scope } from '../../shared/platform/data/scope.ts';
import { productionRuntime } from '../../shared/platform/runtime.ts';

/** Reserved to report unfinished messages before Lambda ends the process. */
const reserveMs = 5_000;

export const requirements = combineRequirements(
  openPorts,
  agentRunQueue,
  'table:write',
  'table:delete',
  'payloads:read',
  'payloads:write',
  'queue:runs',
  'queue:wakes',
);

/**
 * Runs flows on records. Message groups run concurrently; the runs of one group in order, or some at a time (see `getSlotWidth`). When a run fails, its message
 * is delivered again with the later ones of its group, after a pause that grows; runs that have ended do nothing then.
 * During a DynamoDB outage the worker waits instead of failing.
 */
async function handle(event: SQSEvent, context: Context): Promise<SQSBatchResponse> {
  const remainingMs = context.getRemainingTimeInMillis();
  const signal = AbortSignal.timeout(Math.max(1, remainingMs - reserveMs));
  const until = Date.now() + remainingMs;
  const byTenant = Map.groupBy(readDelivered(event), ({ message }) => message.tenant);
  using deletes = openEarlyDeletes();
  const onMessageDone = ({ receiptHandle }: Delivered) => deletes.add(receiptHandle);
  const returned = await Promise.all(
    [...byTenant].map(([tenant, delivered]) =>
      runTenant(productionRuntime().scopeOf(tenant, signal), delivered, { until, onMessageDone }, signal),
    ),
  );
  const failed = returned.flat(2);
  await setRetryTimes(failed);
  const ids = new Set(failed.map(({ id }) => id));
  return { batchItemFailures: Array.from(ids, (itemIdentifier) => ({ itemIdentifier })) };
}

async function runTenant(
  scope: Scope,
  delivered: readonly Delivered[],
  work: Omit<InvocationWork, 'getWidth' | 'run' | 'hold'>,
  signal: AbortSignal,
) {
  const groups = [...Map.groupBy(delivered, ({ group }) => group).values()] as [Delivered, ...Delivered[]][];
  const withCommits = groupCommits(scope);
  const load = openJobLoader(scope);
  const permits = openSlotPermits(scope);
  const stopped = new Set<string>();
  const returned = await Promise.all(
    groups.map(async (group) => {
      const jobs = openSlotLoader(load, scope);
      return runGroup(scope, group, {
        ...work,
        async getWidth(rest) {
          // An earlier delivery may write until its lease ends.
          if (rest.length === 1 || rest[0].deliveries > 1) return 1;
          // What cannot be loaded is reported when its run begins.
          const batch = await jobs.findBatch(rest).catch(() => undefined);
          return batch ? getSlotWidth(batch, rest[0].message.slot) : 1;
        },
        async run(rest) {
          const job = await jobs.begin(rest);
          if (job.batch?.stopped) stopped.add(job.batch.id);
          return permits.run(job, () => runRecord(scope, job, withCommits, signal));
        },
        hold: ({ message, receiptHandle }) => holdSlot(scope, message, receiptHandle),
      });
    }),
  );
  await Promise.all(Array.from(stopped, (batchId) => settleBatchNow(scope, batchId)));
  return returned;
}

export const handler = toWorker('run-record', handle);
