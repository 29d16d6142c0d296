import { scheduleStore } from '../../shared/domain/schedules/schedule-store.ts';
import { firingList } from '../../shared/execution/schedules/firing-list.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { ScheduleDetails, ScheduleParams, toNamedSchedule, toSchedulePlace } from './schemas.ts';

const recentMax = 10;

export const getSchedule = defineEndpoint({
  id: 'schedules.get',
  method: 'GET',
  path: '/v1/products/{id}/surfaces/{surfaceId}/schedules/{scheduleId}',
  permission: 'PRODUCTS:READ',
  summary: 'Get a schedule',
  description: `With its last ${recentMax} runs, newest first.`,
  params: ScheduleParams,
  response: { kind: 'json', bodies: { 200: ScheduleDetails } },
  errors: [400, 404],
  needs: { schedules: scheduleStore, history: firingList },

  async handle({ params }, { schedules, history }) {
    const schedule = await schedules.find(toSchedulePlace(params), params.scheduleId);
    const [named, recentRuns] = await Promise.all([
      schedules.nameSchedule(schedule),
      history.list(schedule, { limit: recentMax }),
    ]);
    return { ...toNamedSchedule(named), recentRuns };
  },
});

export const handler = toLambda(getSchedule);
