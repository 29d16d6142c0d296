import * as z from 'zod';
import { recordStore } from '../../shared/domain/records/record-store.ts';
import { recordCosts } from '../../shared/execution/runs/checkpoints/record-costs.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda.ts';
import { RecordParams } from './schemas.ts';

const Usd = z
  .number()
  .meta({ description: 'USD, added up exactly; calls without a known price count nothing' });

export const getRecordCosts = defineEndpoint({
  id: 'records.costs',
  method: 'GET',
  path: '/v1/records/{id}/costs',
  permission: 'RECORDS:READ',
  summary: 'Get what the model calls on a record cost',
  description:
    'Sums over the step results of the record, kept up to date as they are written. What is deleted with its flow ' +
    'or as a result no longer counts.',
  params: RecordParams,
  response: {
    kind: 'json',
    bodies: {
      200: z.object({
        executionCount: z.int().meta({ description: 'How many steps called a model' }),
        promptTokens: z.int(),
        completionTokens: z.int(),
        totalTokens: z.int(),
        totalCost: Usd,
        modelBreakdown: z
          .array(z.object({ model: z.string(), count: z.int(), tokens: z.int(), cost: Usd }))
          .meta({ description: 'The dearest first' }),
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
