import * as z from 'zod';
import { batchCanceller } from '../../shared/execution/record-runs/run-record.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { BatchParams } from './schemas.ts';

export const cancelBatch = defineEndpoint({
  id: 'batches.cancel',
  method: 'POST',
  path: '/v1/batch/cancel/{id}',
  permission: 'FLOWS:EXECUTE',
  summary: 'Cancel a batch',
  description:
    'Records that are running finish and are counted; no further record starts. A suspended run ends as failed, at its wake-up time at the latest, ' +
    'and is not counted. 409 if the batch has already ended.',
  params: BatchParams,
  response: { kind: 'json', bodies: { 200: z.object({ success: z.boolean(), message: z.string() }) } },
  errors: [400, 404, 409],
  needs: { cancel: batchCanceller },

  async handle({ params }, { cancel }) {
    await cancel(params.id);
    return { success: true, message: 'The batch was cancelled' };
  },
});

export const handler = toLambda(cancelBatch);
