import * as z from 'zod';
import { batchFinder } from '../../shared/execution/batches/batch-store.ts';
import { scheduleRunner } from '../../shared/execution/schedules/start-firing.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { requireAll } from '../../shared/platform/identity/principal.ts';
import { unfinishedBatches } from '../batches/schemas.ts';
import { alsoTakes, runsFlows, ScheduleParams, toSchedulePlace } from './schemas.ts';

export const runScheduleNow = defineEndpoint({
  id: 'schedules.run-now',
  method: 'POST',
  path: '/v1/products/{id}/surfaces/{surfaceId}/schedules/{scheduleId}/run-now',
  permission: 'PRODUCTS:WRITE',
  summary: 'Run a schedule now',
  description: `Makes a batch as if the schedule fired, also of a disabled one, and leaves its next time as it is. \`recordCount\` is 0 for a run without a record. 403 if the surface is paused, 404 if the flow does not exist, 409 if the last run is not over. ${unfinishedBatches} ${alsoTakes}`,
  params: ScheduleParams,
  response: {
    kind: 'json',
    bodies: {
      200: z.object({ batchExecutionId: z.string(), recordCount: z.int(), status: z.string() }),
    },
  },
  errors: [400, 402, 404, 409],
  needs: { runNow: scheduleRunner, batches: batchFinder },

  async handle({ params, principal, timeLeftMs }, { runNow, batches }) {
    requireAll(principal, runsFlows);
    const batch = await runNow(toSchedulePlace(params), params.scheduleId, timeLeftMs);
    const { status } = await batches.settleBatch(batch);
    const recordCount = batch.dispatched ? 0 : batch.totalRecords;
    return { batchExecutionId: batch.id, recordCount, status };
  },
});

export const handler = toLambda(runScheduleNow);
