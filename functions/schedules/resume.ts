import * as z from 'zod';
import { scheduleStore } from '../../shared/domain/schedules/schedule-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { requireAll } from '../../shared/platform/identity/principal.ts';
import { alsoTakes, runsFlows, ScheduleParams, toSchedulePlace } from './schemas.ts';

export const resumeSchedule = defineEndpoint({
  id: 'schedules.resume',
  method: 'POST',
  path: '/v1/products/{id}/surfaces/{surfaceId}/schedules/{scheduleId}/resume',
  permission: 'PRODUCTS:WRITE',
  summary: 'Resume a schedule',
  description: `Enables it. Its next time is computed from now on: what it missed does not run. 400 if it runs once and that time has passed. ${alsoTakes}`,
  params: ScheduleParams,
  response: { kind: 'json', bodies: { 200: z.object({ status: z.literal('active') }) } },
  errors: [400, 404, 409],
  needs: { schedules: scheduleStore },

  async handle({ params, principal }, { schedules }) {
    requireAll(principal, runsFlows);
    await schedules.change(toSchedulePlace(params), params.scheduleId, { enabled: true });
    return { status: 'active' as const };
  },
});

export const handler = toLambda(resumeSchedule);
