import * as z from 'zod';
import { scheduleStore } from '../../shared/domain/schedules/schedule-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { requireAll } from '../../shared/platform/identity/principal.ts';
import { alsoTakes, runsFlows, ScheduleParams, toSchedulePlace } from './schemas.ts';

export const pauseSchedule = defineEndpoint({
  id: 'schedules.pause',
  method: 'POST',
  path: '/v1/products/{id}/surfaces/{surfaceId}/schedules/{scheduleId}/pause',
  permission: 'PRODUCTS:WRITE',
  summary: 'Pause a schedule',
  description: `Disables it; a batch that runs goes on. A paused schedule stays paused. ${alsoTakes}`,
  params: ScheduleParams,
  response: { kind: 'json', bodies: { 200: z.object({ status: z.literal('paused') }) } },
  errors: [400, 404, 409],
  needs: { schedules: scheduleStore },

  async handle({ params, principal }, { schedules }) {
    requireAll(principal, runsFlows);
    await schedules.change(toSchedulePlace(params), params.scheduleId, { enabled: false });
    return { status: 'paused' as const };
  },
});

export const handler = toLambda(pauseSchedule);
