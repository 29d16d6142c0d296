import * as z from 'zod';
import { WarningCounts } from '../../shared/core/warnings.ts';
import { priorities } from '../../shared/domain/runs/priority.ts';
import { batchFinder } from '../../shared/execution/batches/batch-store.ts';
import { RunOutcome, runOutcomes } from '../../shared/execution/runs/list-run-results.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { countResponseBytes, responseBytesMax } from '../../shared/platform/http/responses/body-sizes.ts';
import { BatchParams } from './schemas.ts';

export const batchStatus = defineEndpoint({
  id: 'batches.status',
  method: 'GET',
  path: '/v1/batch/status/{id}',
  permission: 'FLOWS:READ',
  summary: 'Get the status of a batch',
  description:
    'The counters are exact at any time. `processedRecords` counts completed and failed records. A batch with failed records still ends as `completed`; it ends as `failed` only if every record failed or the batch could not run.',
  params: BatchParams,
  response: {
    kind: 'json',
    bodies: {
      200: z
        .object({
          batchExecutionId: z.string(),
          flowId: z.string(),
          status: z.enum(['scheduled', 'running', 'completed', 'failed', 'cancelled']),
          totalRecords: z.int(),
          processedRecords: z.int(),
          failedRecords: z.int(),
          successCount: z.int(),
          progress: z.int().meta({ description: 'Whole percent' }),
          startedAt: z.string(),
          completedAt: z.string().optional().meta({ description: 'Present once the batch has ended' }),
          error: z.string().nullable(),
          warnings: WarningCounts,
          priority: z.enum(priorities),
          retryOf: z.string().optional().meta({ description: 'The batch whose records it runs again' }),
          results: z.array(RunOutcome).optional().meta({
            description:
              'Present once a dispatched run that continued as this batch has ended. An output of more than 5 MB is null',
          }),
        })
        .meta({ id: 'BatchStatus' }),
    },
  },
  errors: [400, 404],
  needs: { batches: batchFinder, outcomeOf: runOutcomes },

  async handle({ params }, { batches, outcomeOf }) {
    const batch = await batches.get(params.id);
    const { completedAt, ...progress } = await batches.settleBatch(batch);
    const { dispatched } = batch;
    const outcome = dispatched && progress.processedRecords > 0 && (await outcomeOf(dispatched));
    const results = outcome ? [fitting(outcome)] : undefined;
    return {
      ...batch,
      ...progress,
      ...(completedAt && { completedAt }),
      ...(results && { results }),
      batchExecutionId: batch.id,
      priority: batch.priority ?? 'normal',
      successCount: progress.processedRecords - progress.failedRecords,
    };
  },
});

/** Without an output that the response has no room for. */
const fitting = (outcome: z.input<typeof RunOutcome>) =>
  countResponseBytes(outcome.output) > responseBytesMax ? { ...outcome, output: null } : outcome;

export const handler = toLambda(batchStatus);
