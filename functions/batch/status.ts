import * as z from 'zod';
import { defineEndpoint } from '../../shared/http/endpoint.ts';
import { toLambda } from '../../shared/http/lambda.ts';
import { idOf } from '../../shared/ids.ts';
import { batchStore } from '../../shared/runs/batch-store.ts';

export const BatchParams = z.object({ id: idOf('batch') });

export const batchStatus = defineEndpoint({
  id: 'batch.status',
  method: 'GET',
  path: '/v1/batch/status/{id}',
  permission: 'FLOWS:READ',
  summary: 'Get the status of a batch',
  description:
    'Exact at every moment. `processedRecords` counts completed and failed ones. A batch ends `completed` also with failures, `failed` only when every record failed or it could not run at all.',
  params: BatchParams,
  responses: {
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
        completedAt: z.string().nullable(),
        error: z.string().nullable(),
      })
      .meta({ id: 'BatchStatus' }),
  },
  errors: [400, 404],
  needs: { batches: batchStore },

  async handle({ params }, { batches }) {
    const batch = await batches.get(params.id);
    const progress = await batches.progress(batch);
    return {
      ...batch,
      ...progress,
      batchExecutionId: batch.id,
      successCount: progress.processedRecords - progress.failedRecords,
    };
  },
});

export const handler = toLambda(batchStatus);
