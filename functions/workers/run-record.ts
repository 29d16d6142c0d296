import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { log } from '../../shared/log.ts';
import { RunMessage } from '../../shared/runs/batch-plan.ts';
import { loadJobs, type RecordJob } from '../../shared/runs/record-jobs.ts';
import { runRecord } from '../../shared/runs/record-runner.ts';
import { productionRuntime, type Scope } from '../../shared/runtime.ts';

interface Delivery {
  id: string;
  group: string;
  message: RunMessage;
}

/** Time kept back to hand in what is unfinished before Lambda ends the process. */
const reserveMs = 5_000;

/**
 * Runs flows on records. Message groups run side by side, the messages of a group one after another; when one
 * fails it and those behind it in its group are delivered again.
 */
export async function handler(event: SQSEvent, context: Context): Promise<SQSBatchResponse> {
  const signal = AbortSignal.timeout(Math.max(1, context.getRemainingTimeInMillis() - reserveMs));
  const byTenant = Map.groupBy(event.Records.map(toDelivery), ({ message }) => message.tenant);
  const failed = await Promise.all(
    [...byTenant].map(async ([tenant, deliveries]) => {
      const scope = productionRuntime().scopeOf(tenant);
      const jobs = await loadJobs(
        scope,
        deliveries.map(({ message }) => message),
      );
      const groups = Map.groupBy(
        deliveries.map((delivery, index) => ({ delivery, job: jobs[index] })),
        ({ delivery }) => delivery.group,
      );
      return Promise.all([...groups.values()].map((group) => runGroup(scope, group, signal)));
    }),
  );
  return { batchItemFailures: failed.flat(2).map((itemIdentifier) => ({ itemIdentifier })) };
}

async function runGroup(
  scope: Scope,
  group: { delivery: Delivery; job: RecordJob | undefined }[],
  signal: AbortSignal,
) {
  for (const [index, { delivery, job }] of group.entries()) {
    try {
      if (job) await runRecord(scope, job, signal);
    } catch (error) {
      log.error('A record could not be run; it will be tried again', { error, ...delivery.message });
      return group.slice(index).map(({ delivery: { id } }) => id);
    }
  }
  return [];
}

const toDelivery = ({ messageId, body, attributes }: SQSRecord): Delivery => ({
  id: messageId,
  group: attributes.MessageGroupId ?? messageId,
  message: RunMessage.parse(JSON.parse(body)),
});
