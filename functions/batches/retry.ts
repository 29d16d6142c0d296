import * as z from 'zod';
import { resourceId } from '../../shared/core/ids.ts';
import { batchRetrier } from '../../shared/execution/batches/retry-batch.ts';
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
  description: `Starts a new batch, with the version and the options of the first one. By default each record goes on after its last completed step: the results before are taken over at no cost, and no completed step runs twice. \`failed\` means the records whose last run in the batch and its retries did not complete. 409 while one of these batches runs, or was cancelled less than a minute ago, 422 if there is nothing to retry, or if what all of them (or one that is named) did may have taken effect (\`OUTCOME_UNKNOWN\`), 400 for records that were not in the batch, 404 for named ones that were deleted; other deleted ones are left out. ${unfinishedBatches}`,
  params: BatchParams,
  body: z
    .strictObject({
      records: z
        .union([z.literal('failed'), z.array(resourceId('record')).min(1).max(1_000).check(unique)])
        .default('failed')
        .meta({ description: 'Records that are named may have completed, if they run from the start' }),
      from: z.enum(['failed-step', 'start']).default('failed-step'),
      unsafe: z.boolean().default(false).meta({
        description:
          'Whether to do again what may have taken effect: without it, records whose last run failed with OUTCOME_UNKNOWN are left out. The other side gets the same Idempotency-Key as before, unless the records run from the start',
      }),
    })
    .meta({ examples: [{ records: 'failed', from: 'failed-step' }] }),
  response: {
    kind: 'json',
    bodies: {
      202: StartedOnRecords.extend({
        outcomeUnknown: z.int().optional().meta({
          description: 'How many records were left out because of this, if any',
        }),
      }),
    },
  },
  errors: [400, 402, 404, 409, 422],
  needs: { retry: batchRetrier },

  async handle({ params, body, principal }, { retry }) {
    const { batch, outcomeUnknown } = await retry(params.id, body, principal);
    const leftOut = outcomeUnknown > 0 && { outcomeUnknown };
    return { batchId: batch.id, recordCount: batch.totalRecords, ...leftOut };
  },
});

export const handler = toLambda(retryBatch);
