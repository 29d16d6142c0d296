import { ScheduleChanges } from '../../shared/domain/schedules/schedule-body.ts';
import { scheduleStore } from '../../shared/domain/schedules/schedule-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { requireAll } from '../../shared/platform/identity/principal.ts';
import {
  alsoTakes,
  runsFlows,
  ScheduleParams,
  ScheduleResponse,
  toSchedulePlace,
  toScheduleResponse,
} from './schemas.ts';

export const updateSchedule = defineEndpoint({
  id: 'schedules.update',
  method: 'PUT',
  path: '/v1/products/{id}/surfaces/{surfaceId}/schedules/{scheduleId}',
  permission: 'PRODUCTS:WRITE',
  summary: 'Update a schedule',
  description: `Omitted members stay unchanged; null clears one. Another \`triggerType\` clears the time of the old one, and a selector of records clears the others. \`executionOptions\` are replaced as a whole. 400 if the members no longer fit each other; 404 if the flow or a record does not exist. ${alsoTakes}`,
  params: ScheduleParams,
  body: ScheduleChanges.meta({ examples: [{ cron: '@daily', timezone: null }] }),
  response: { kind: 'json', bodies: { 200: ScheduleResponse } },
  errors: [400, 404, 409],
  needs: { schedules: scheduleStore },

  async handle({ params, body, principal }, { schedules }) {
    requireAll(principal, runsFlows);
    return toScheduleResponse(await schedules.change(toSchedulePlace(params), params.scheduleId, body));
  },
});

export const handler = toLambda(updateSchedule);
