import * as z from 'zod';
import { RecordType } from '../../shared/domain/records/record.ts';
import { smallBatchMax } from '../../shared/execution/batches/batch.ts';
import { smallBatches } from '../../shared/execution/batches/small-batch.ts';
import { batchStarter } from '../../shared/execution/batches/start-batch.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { StartHeaders } from '../../shared/platform/http/start-headers.ts';
import { RecordRunOptions, toBatchOptions, unfinishedBatches } from '../batches/schemas.ts';
import { FlowParams } from './response-schemas.ts';

const facts = {
  success: z.boolean(),
  batchId: z.string(),
  flowId: z.string(),
  recordType: z.string(),
  recordCount: z.int(),
};

const Done = z
  .object({
    ...facts,
    status: z.literal('completed'),
    executedImmediately: z.boolean(),
    successCount: z.int(),
    failureCount: z.int(),
    completedAt: z.string(),
    results: z.array(
      z.object({
        recordId: z.string(),
        recordName: z.string().nullable(),
        success: z.boolean(),
        executionId: z.string().optional(),
        executionTime: z.number().optional().meta({ description: 'Milliseconds' }),
        contextSteps: z.int().optional(),
        promptsExecuted: z.int().optional(),
        error: z.string().optional(),
      }),
    ),
  })
  .meta({ id: 'RunCompleted' });

const Scheduled = z
  .object({
    ...facts,
    status: z.literal('scheduled'),
    message: z.string(),
    scheduledAt: z.string(),
    records: z.array(z.object({ id: z.string(), name: z.string().nullable(), type: z.string() })),
  })
  .meta({ id: 'RunScheduled' });

export const runFlowOnRecordType = defineEndpoint({
  id: 'flows.run-on-record-type',
  method: 'POST',
  path: '/v1/flows/{id}/run-on-record-type',
  permission: 'FLOWS:EXECUTE',
  summary: 'Run a flow on every record of a type',
  description: `Runs the published version, or the draft if no version is published. A test key runs the draft if there is one. With up to ${smallBatchMax} records, the request waits up to 20 s and returns 200 with the results. Otherwise it returns 202 with the first 1,000 records: poll the batch's status. ${unfinishedBatches}`,
  params: FlowParams,
  headers: StartHeaders,
  body: z.strictObject({ recordType: RecordType, options: RecordRunOptions.prefault({}) }),
  response: { kind: 'json', bodies: { 200: Done, 202: Scheduled } },
  errors: [400, 402, 404],
  needs: { starter: batchStarter, small: smallBatches },

  async handle({ params, body, principal, signal }, { starter, small }) {
    const { recordType } = body;
    const { options, labels } = toBatchOptions(body.options);
    const { batch, records, recordCount } = await starter.start(
      params.id,
      recordType,
      options,
      principal,
      labels,
    );
    const base = { success: true, batchId: batch.id, flowId: params.id, recordType, recordCount };
    const progress = recordCount <= smallBatchMax ? await small.waitForEnd(batch, signal) : undefined;
    if (!progress) {
      const message = `${recordCount} records are scheduled; follow the batch at /v1/batch/status/${batch.id}`;
      return {
        status: 202,
        body: { ...base, status: 'scheduled' as const, message, scheduledAt: batch.startedAt, records },
      };
    }
    const counts = {
      successCount: progress.processedRecords - progress.failedRecords,
      failureCount: progress.failedRecords,
      completedAt: progress.completedAt ?? batch.startedAt,
    };
    const results = await small.results(batch, records);
    return {
      status: 200,
      body: { ...base, status: 'completed' as const, executedImmediately: true, ...counts, results },
    };
  },
});

export const handler = toLambda(runFlowOnRecordType);
