import * as z from 'zod';
import { scheduleStore, schedulesMax } from '../../shared/domain/schedules/schedule-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { SurfaceParams } from '../surfaces/response-schemas.ts';
import { NamedScheduleResponse, toNamedSchedule, toSchedulePlace } from './schemas.ts';

export const listSchedules = defineEndpoint({
  id: 'schedules.list',
  method: 'GET',
  path: '/v1/products/{id}/surfaces/{surfaceId}/schedules',
  permission: 'PRODUCTS:READ',
  summary: 'List the schedules of a surface',
  description: `All of them, at most ${schedulesMax}, oldest first. 400 if the surface is not of the type schedule.`,
  params: SurfaceParams,
  response: { kind: 'json', bodies: { 200: z.object({ data: z.array(NamedScheduleResponse) }) } },
  errors: [400, 404],
  needs: { schedules: scheduleStore },

  async handle({ params }, { schedules }) {
    return { data: (await schedules.list(toSchedulePlace(params))).map(toNamedSchedule) };
  },
});

export const handler = toLambda(listSchedules);
