import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { withLogFields } from '../../shared/core/invocation.ts';
import { log } from '../../shared/core/log.ts';
import { groupCommits } from '../../shared/execution/batches/group-commit.ts';
import { loadJobs } from '../../shared/execution/batches/record-jobs.ts';
import { runRecord } from '../../shared/execution/batches/record-runner.ts';
import { logFieldsOf, RunMessage } from '../../shared/execution/batches/run-message.ts';
import { livePorts } from '../../shared/execution/live-ports.ts';
import { messagesOf, type Received } from '../../shared/platform/aws/messages.ts';
import { requirementsOf } from '../../shared/platform/aws/uses.ts';
import { toWorker } from '../../shared/platform/aws/worker.ts';
import type { Scope } from '../../shared/platform/data/scope.ts';
import { productionRuntime } from '../../shared/platform/runtime.ts';

interface Delivery {
  id: string;
  group: string;
  message: RunMessage;
}

/** Reserved to report unfinished messages before Lambda ends the process. */
const reserveMs = 5_000;

export const requirements = requirementsOf(livePorts, 'table:write', 'payloads', 'queue:wakes');

/**
 * Runs flows on records. Message groups run concurrently; the messages of one group run in order. When a message fails,
 * Lambda redelivers it and the later ones of its group. During a DynamoDB outage the worker waits instead of failing.
 */
async function handle(event: SQSEvent, context: Context): Promise<SQSBatchResponse> {
  const signal = AbortSignal.timeout(Math.max(1, context.getRemainingTimeInMillis() - reserveMs));
  const byTenant = Map.groupBy(
    messagesOf(RunMessage, event).map(toDelivery),
    ({ message }) => message.tenant,
  );
  const failed = await Promise.all(
    [...byTenant].map(([tenant, deliveries]) =>
      runTenant(productionRuntime().scopeOf(tenant, signal), deliveries, signal),
    ),
  );
  return { batchItemFailures: failed.flat(2).map((itemIdentifier) => ({ itemIdentifier })) };
}

async function runTenant(scope: Scope, deliveries: Delivery[], signal: AbortSignal): Promise<string[][]> {
  const groups = [...Map.groupBy(deliveries, ({ group }) => group).values()];
  const withCommits = groupCommits(scope);
  // Loads the first of each group in one round trip. Loads the others when they run, which may be minutes later.
  const firsts = await loadJobs(
    scope,
    groups.flatMap(([first]) => first?.message ?? []),
  );
  return Promise.all(
    groups.map((group, place) =>
      runGroup(group, async ({ message }, index) => {
        const [job] = index === 0 ? [firsts[place]] : await loadJobs(scope, [message]);
        if (job) await runRecord(scope, job, withCommits, signal);
      }),
    ),
  );
}

async function runGroup(
  group: readonly Delivery[],
  run: (delivery: Delivery, index: number) => Promise<void>,
): Promise<string[]> {
  for (const [index, delivery] of group.entries()) {
    const failed = await withLogFields(logFieldsOf(delivery.message), () =>
      run(delivery, index).then(
        () => false,
        (error) => {
          log.error('A record could not be run and will be retried', { error });
          return true;
        },
      ),
    );
    if (failed) return group.slice(index).map(({ id }) => id);
  }
  return [];
}

const toDelivery = ({ record: { messageId, attributes }, message }: Received<RunMessage>): Delivery => ({
  id: messageId,
  group: attributes.MessageGroupId ?? messageId,
  message,
});

export const handler = toWorker('run-record', handle);
