import * as z from 'zod';
import { batchFinder } from '../../shared/execution/batches/batch-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { BatchParams } from './schemas.ts';

export const batchCost = defineEndpoint({
  id: 'batches.cost',
  method: 'GET',
  path: '/v1/batch/{id}/cost',
  permission: 'FLOWS:READ',
  summary: 'Get the model costs of a batch',
  description: 'Covers the records processed so far. Calls to models without a known price add nothing.',
  params: BatchParams,
  response: {
    kind: 'json',
    bodies: { 200: z.object({ batchExecutionId: z.string(), totalCostUsd: z.number() }) },
  },
  errors: [400, 404],
  needs: { batches: batchFinder },

  async handle({ params }, { batches }) {
    const { cost } = await batches.totals(await batches.get(params.id));
    return { batchExecutionId: params.id, totalCostUsd: cost };
  },
});

export const handler = toLambda(batchCost);
