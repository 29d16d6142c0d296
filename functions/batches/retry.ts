import * as z from 'zod';
import { resourceId } from '../../shared/core/ids.ts';
import { batchRetrier } from '../../shared/execution/batches/starting/retry-batch.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { unique } from '../../shared/platform/http/validation.ts';
import { BatchParams, StartedOnRecords, unfinishedBatches } from './schemas.ts';

export const retryBatch = defineEndpoint({
  id: 'batches.retry',
  method: 'POST',
  path: '/v1/batch/{id}/retry',
  permission: 'FLOWS:EXECUTE',
  summary: 'Run the failed records of a batch again',
  description: `Starts a new batch, with the version and the options of the first one. By default each record goes on after its last completed step: the results before are taken over at no cost, and no completed step runs twice. \`failed\` means the records whose last run in the batch and its retries did not complete. 409 while one of these batches runs, or was cancelled less than a minute ago, 422 if there is nothing to retry, 400 for records that were not in the batch, 404 for named ones that were deleted; other deleted ones are left out. ${unfinishedBatches}`,
  params: BatchParams,
  body: z
    .strictObject({
      records: z
        .union([z.literal('failed'), z.array(resourceId('record')).min(1).max(1_000).check(unique)])
        .default('failed')
        .meta({ description: 'Records that are named may have completed, if they run from the start' }),
      from: z.enum(['failed-step', 'start']).default('failed-step'),
    })
    .meta({ examples: [{ records: 'failed', from: 'failed-step' }] }),
  response: { kind: 'json', bodies: { 202: StartedOnRecords } },
  errors: [400, 402, 404, 409, 422],
  needs: { retry: batchRetrier },

  async handle({ params, body, principal }, { retry }) {
    const { id, totalRecords } = await retry(params.id, body, principal);
    return { batchId: id, recordCount: totalRecords };
  },
});

export const handler = toLambda(retryBatch);
