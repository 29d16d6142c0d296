import * as z from 'zod';
import { batchFinder } from '../../shared/execution/batches/batch-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';

const lookedAt = 50;

const BatchListItem = z
  .object({
    id: z.string(),
    flowId: z.string(),
    flowName: z.string(),
    status: z.string(),
    totalRecords: z.int(),
    processedRecords: z.int(),
    failedRecords: z.int(),
    progress: z.int().meta({ description: 'Whole percent' }),
    startedAt: z.string(),
  })
  .meta({ id: 'BatchListItem' });

export const batchSummary = defineEndpoint({
  id: 'batches.summary',
  method: 'GET',
  path: '/v1/batch/summary',
  permission: 'FLOWS:READ',
  summary: 'List running and recently ended batches',
  description: `Covers the latest ${lookedAt} batches, newest first: \`batches\` are running, \`recent\` have ended.`,
  response: {
    kind: 'json',
    bodies: {
      200: z.object({
        activeBatches: z.int(),
        batches: z.array(BatchListItem),
        recent: z.array(BatchListItem),
        recentlyCompleted: z.int(),
      }),
    },
  },
  needs: { batches: batchFinder },

  async handle(_request, { batches }) {
    const latest = await batches.latest(lookedAt);
    const rows = latest.map(({ batch, progress }) => ({ ...batch, ...progress }));
    const active = rows.filter(({ status }) => status === 'scheduled' || status === 'running');
    const recent = rows.filter((row) => !active.includes(row));
    return { activeBatches: active.length, batches: active, recent, recentlyCompleted: recent.length };
  },
});

export const handler = toLambda(batchSummary);
