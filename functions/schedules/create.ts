import { NewSchedule } from '../../shared/domain/schedules/schedule-body.ts';
import { scheduleStore, schedulesMax } from '../../shared/domain/schedules/schedule-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { requireAll } from '../../shared/platform/identity/principal.ts';
import { SurfaceParams } from '../surfaces/response-schemas.ts';
import { alsoTakes, runsFlows, ScheduleResponse, toSchedulePlace, toScheduleResponse } from './schemas.ts';

const example = {
  flowId: 'flow_01k9m4v7d3x8qz5w2r6t0y1hbn',
  triggerType: 'recurring',
  cron: '30 7 * * MON-FRI',
  timezone: 'Europe/Berlin',
  recordType: 'airport',
  executionOptions: { recordConcurrency: 5 },
};

export const createSchedule = defineEndpoint({
  id: 'schedules.create',
  method: 'POST',
  path: '/v1/products/{id}/surfaces/{surfaceId}/schedules',
  permission: 'PRODUCTS:WRITE',
  summary: 'Create a schedule',
  description: `Runs a flow once or repeatedly, on the records that one of \`recordIds\`, \`recordType\` and \`recordFilter\` selects at that time, or once without a record. Each time makes one batch. A time that clocks skip fires right after the gap, a repeated one once. 400 if the surface is not of the type schedule; 404 if the flow or a record does not exist; 409 if the surface has ${schedulesMax} schedules. ${alsoTakes}`,
  params: SurfaceParams,
  body: NewSchedule.meta({ examples: [example] }),
  response: { kind: 'json', bodies: { 201: ScheduleResponse } },
  errors: [400, 404, 409],
  needs: { schedules: scheduleStore },

  async handle({ params, body, principal }, { schedules }) {
    requireAll(principal, runsFlows);
    return toScheduleResponse(await schedules.create(toSchedulePlace(params), principal, body));
  },
});

export const handler = toLambda(createSchedule);
