import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { log } from '../../shared/core/log.ts';
import { type Delivered, runGroup, setRetryTimes } from '../../shared/execution/batches/deliveries.ts';
import { groupCommits } from '../../shared/execution/batches/group-commit.ts';
import { loadJobs } from '../../shared/execution/batches/record-jobs.ts';
import { runRecord } from '../../shared/execution/batches/record-runner.ts';
import { RunMessage } from '../../shared/execution/batches/run-message.ts';
import { livePorts } from '../../shared/execution/live-ports.ts';
import { messagesOf, type Received } from '../../shared/platform/aws/messages.ts';
import { requirementsOf } from '../../shared/platform/aws/uses.ts';
import { toWorker } from '../../shared/platform/aws/worker.ts';
import type { Scope } from '../../shared/platform/data/scope.ts';
import { productionRuntime } from '../../shared/platform/runtime.ts';

/** Reserved to report unfinished messages before Lambda ends the process. */
const reserveMs = 5_000;

export const requirements = requirementsOf(livePorts, 'table:write', 'payloads', 'queue:runs', 'queue:wakes');

/**
 * Runs flows on records. Message groups run concurrently; the messages of one group run in order. When a message fails,
 * it is delivered again with the later ones of its group, after a pause that grows. During a DynamoDB outage the worker
 * waits instead of failing.
 */
async function handle(event: SQSEvent, context: Context): Promise<SQSBatchResponse> {
  const remainingMs = context.getRemainingTimeInMillis();
  const signal = AbortSignal.timeout(Math.max(1, remainingMs - reserveMs));
  const until = Date.now() + remainingMs;
  const byTenant = Map.groupBy(
    messagesOf(RunMessage, event).map(toDelivered),
    ({ message }) => message.tenant,
  );
  const returned = await Promise.all(
    [...byTenant].map(([tenant, delivered]) =>
      runTenant(productionRuntime().scopeOf(tenant, signal), delivered, until, signal),
    ),
  );
  const failed = returned.flat(2);
  await setRetryTimes(failed);
  return { batchItemFailures: failed.map(({ id }) => ({ itemIdentifier: id })) };
}

async function runTenant(scope: Scope, delivered: Delivered[], until: number, signal: AbortSignal) {
  const groups = [...Map.groupBy(delivered, ({ group }) => group).values()];
  const withCommits = groupCommits(scope);
  const firsts = loadFirsts(scope, groups);
  return Promise.all(
    groups.map((group, place) =>
      runGroup(scope, group, until, async ({ message, deliveries }, index) => {
        // An earlier delivery may have written until its lease ended.
        const isLoaded = index === 0 && deliveries === 1;
        const [job] = isLoaded ? [(await firsts)[place]] : await loadJobs(scope, [message]);
        if (job) await runRecord(scope, job, withCommits, signal);
      }),
    ),
  );
}

/** Loads the first of each group in one round trip. The others are loaded when they run, which may be minutes later. */
function loadFirsts(scope: Scope, groups: readonly Delivered[][]) {
  const firsts = loadJobs(
    scope,
    groups.flatMap(([first]) => first?.message ?? []),
  );
  // Each group reports it.
  firsts.catch((error) => log.warn('Records could not be loaded', { error }));
  return firsts;
}

const toDelivered = ({
  record: { messageId, receiptHandle, attributes },
  message,
}: Received<RunMessage>): Delivered => ({
  id: messageId,
  receiptHandle,
  group: attributes.MessageGroupId ?? messageId,
  runId: message.runId,
  deliveries: Number(attributes.ApproximateReceiveCount),
  firstAt: Number(attributes.ApproximateFirstReceiveTimestamp),
  message,
});

export const handler = toWorker('run-record', handle);
