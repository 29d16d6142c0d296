import * as z from 'zod';
import { recordStore } from '../../shared/domain/records/record-store.ts';
import { recordCosts } from '../../shared/execution/runs/spending.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { RecordParams } from './schemas.ts';

const Usd = z
  .number()
  .meta({ description: 'USD, an exact sum. Calls to models without a known price add nothing' });

export const getRecordCosts = defineEndpoint({
  id: 'records.costs',
  method: 'GET',
  path: '/v1/records/{id}/costs',
  permission: 'RECORDS:READ',
  summary: 'Get the model costs of a record',
  description:
    'Sums over the step results of the record, updated as they are written. Deleting a result, or the flow, subtracts ' +
    'its costs.',
  params: RecordParams,
  response: {
    kind: 'json',
    bodies: {
      200: z.object({
        executionCount: z.int().meta({ description: 'Number of steps that called a model' }),
        promptTokens: z.int(),
        completionTokens: z.int(),
        totalTokens: z.int(),
        totalCost: Usd,
        modelBreakdown: z
          .array(z.object({ model: z.string(), count: z.int(), tokens: z.int(), cost: Usd }))
          .meta({ description: 'Most expensive first' }),
      }),
    },
  },
  errors: [400, 404],
  needs: { records: recordStore, costsOf: recordCosts },

  async handle({ params: { id } }, { records, costsOf }) {
    const [costs] = await Promise.all([costsOf(id), records.get(id)]);
    return costs;
  },
});

export const handler = toLambda(getRecordCosts);
