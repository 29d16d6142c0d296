import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { handler as runRecordWorker } from '../../../functions/workers/run-record.ts';
import { newId } from '../../../shared/core/ids.ts';
import type { FlowStepInput } from '../../../shared/domain/flows/checking/flow-step.ts';
import { normaliseSteps } from '../../../shared/domain/flows/checking/flow-steps.ts';
import { flowStore } from '../../../shared/domain/flows/flow-store.ts';
import { versionStore } from '../../../shared/domain/flows/version-store.ts';
import { recordStore } from '../../../shared/domain/records/record-store.ts';
import type { Batch } from '../../../shared/execution/batches/batch.ts';
import { toRecordRunId } from '../../../shared/execution/batches/batch-plan.ts';
import { batchStore, recordSlot } from '../../../shared/execution/batches/batch-store.ts';
import { groupCommits } from '../../../shared/execution/batches/group-commit.ts';
import { loadJobs } from '../../../shared/execution/batches/record-jobs.ts';
import type { RunMessage } from '../../../shared/execution/batches/run-message.ts';
import { runRecord } from '../../../shared/execution/record-runs/run-record.ts';
import { StepResultQuery, stepResultStore } from '../../../shared/execution/runs/list-step-results.ts';
import type { Scope } from '../../../shared/platform/data/scope.ts';
import { countingRuntime, newTenant } from '../stack/stack.ts';
import { checkedSteps } from './sandbox.ts';

export interface TestBatchOptions extends Partial<Batch> {
  steps: FlowStepInput[];
  recordCount?: number;
  metadata?: Record<string, unknown>;
}

/** A batch of a tenant of its own whose records nobody runs but the test: its messages are in no queue. */
export async function plannedBatch({ steps, recordCount = 1, metadata = {}, ...changes }: TestBatchOptions) {
  const tenant = await newTenant();
  const { userId, organizationId } = tenant;
  const owner = { userId, organizationId };
  const runtime = countingRuntime();
  const scope = runtime.scopeOf(tenant.tenant);
  const flow = await flowStore(scope).create(owner, {
    name: 'A flow',
    steps: normaliseSteps(checkedSteps(steps), newId),
  });
  const flowVersionId = await versionStore(scope).publishDraft(flow.id);
  const drafts = Array.from({ length: recordCount }, (_, n) => ({
    type: 'thing',
    name: `thing ${n}`,
    metadata: { n, ...metadata },
    messages: null,
  }));
  const { created: records } = await recordStore(scope).createMany(owner, drafts);
  const batch: Batch = {
    ...owner,
    id: newId('batch'),
    flowId: flow.id,
    flowName: flow.name,
    flowVersionId,
    recordType: 'thing',
    lastRecordId: records.at(-1)?.id,
    recordConcurrency: 10,
    maxRetries: 0,
    totalRecords: recordCount,
    planned: true,
    stopped: null,
    stoppedAt: null,
    error: null,
    startedAt: new Date().toISOString(),
    ...changes,
  };
  const batches = batchStore(scope);
  await batches.create(batch);
  const messages = records.map(({ id: recordId }, n): RunMessage => {
    const { id: batchId, flowId } = batch;
    const runId = toRecordRunId(batch, recordId);
    return { tenant: tenant.tenant, batchId, flowId, recordId, runId, slot: recordSlot(batch, n) };
  });
  const message = (n = 0) => messages[n] as RunMessage;
  const allResults: StepResultQuery = StepResultQuery.parse({ limit: '100', sortOrder: 'asc' });
  return {
    ...tenant,
    runtime,
    scope,
    flow,
    batch,
    records,
    messages,
    message,
    progress: async () => batches.settleBatch(await batches.get(batch.id)),
    /** All of a record's results: a page may end early, so each begins where the last one ended. */
    results: async (recordId = records[0]?.id ?? '') => {
      const rows = [];
      for (let more = true; more; ) {
        const page = await stepResultStore(scope).listByRecord(recordId, {
          ...allResults,
          offset: rows.length,
        });
        rows.push(...page.data);
        more = page.pagination.hasMore;
      }
      return rows;
    },
  };
}
export type PlannedBatch = Awaited<ReturnType<typeof plannedBatch>>;

/** Runs one record as a worker of its own would, in a world that the test may have broken. */
export async function runOnce(scope: Scope, message: RunMessage, signal = new AbortController().signal) {
  const [job] = await loadJobs(scope, [message]);
  if (job) await (await runRecord(scope, job, groupCommits(scope), signal)).stored;
}

/** What a Lambda of 15 minutes has. */
export const aQuarter = { getRemainingTimeInMillis: () => 900_000 };

/** Messages as Lambda hands them over; a group of their own each unless told. */
export const sqsEvent = (
  bodies: readonly object[],
  groupOf: (body: object, index: number) => string = (_body, index) => `group ${index}`,
): SQSEvent => ({
  Records: bodies.map((body, index) => ({
    messageId: `message ${index}`,
    receiptHandle: `handle ${index}`,
    body: JSON.stringify(body),
    attributes: {
      ApproximateReceiveCount: '1',
      SentTimestamp: '0',
      SenderId: '',
      ApproximateFirstReceiveTimestamp: String(Date.now()),
      MessageGroupId: groupOf(body, index),
    },
    messageAttributes: {},
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: '',
    awsRegion: '',
  })),
});

/** Has the run-record worker take these messages. @returns the ids of those that it hands back. */
export async function deliverRunMessages(
  bodies: readonly object[],
  groupOf?: Parameters<typeof sqsEvent>[1],
  context: Pick<Context, 'getRemainingTimeInMillis'> = aQuarter,
  deliveries = 1,
) {
  const event = sqsEvent(bodies, groupOf);
  for (const { attributes } of event.Records) {
    attributes.ApproximateReceiveCount = String(deliveries);
    // After the first pause.
    attributes.ApproximateFirstReceiveTimestamp = String(Date.now() - (deliveries - 1) * 5_000);
  }
  const answer: SQSBatchResponse = await runRecordWorker(event, context as Context);
  return answer.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
}
