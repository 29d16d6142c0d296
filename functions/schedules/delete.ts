import * as z from 'zod';
import { scheduleStore } from '../../shared/domain/schedules/schedule-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { requireAll } from '../../shared/platform/identity/principal.ts';
import { alsoTakes, runsFlows, ScheduleParams, toSchedulePlace } from './schemas.ts';

export const deleteSchedule = defineEndpoint({
  id: 'schedules.delete',
  method: 'DELETE',
  path: '/v1/products/{id}/surfaces/{surfaceId}/schedules/{scheduleId}',
  permission: 'PRODUCTS:WRITE',
  summary: 'Delete a schedule',
  description: `Also deletes its history. A batch that runs goes on. ${alsoTakes}`,
  params: ScheduleParams,
  response: { kind: 'json', bodies: { 200: z.object({ success: z.boolean() }) } },
  errors: [400, 404, 409],
  needs: { schedules: scheduleStore },

  async handle({ params, principal }, { schedules }) {
    requireAll(principal, runsFlows);
    await schedules.remove(toSchedulePlace(params), params.scheduleId);
    return { success: true };
  },
});

export const handler = toLambda(deleteSchedule);
