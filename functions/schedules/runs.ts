import * as z from 'zod';
import { resourceId } from '../../shared/core/ids.ts';
import { firingDays } from '../../shared/domain/schedules/firing.ts';
import { firingList } from '../../shared/execution/schedules/firing-list.ts';
import { CursorPagination, CursorQuery } from '../../shared/platform/data/lists/pages.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { ScheduleRun, toScheduleRun } from './schemas.ts';

export const listScheduleRuns = defineEndpoint({
  id: 'schedules.runs',
  method: 'GET',
  path: '/v1/schedules/{id}/runs',
  permission: 'PRODUCTS:READ',
  summary: 'List the runs of a schedule',
  description: `Newest first, with the counters and the cost of their batches. Times that were skipped are listed with the reason. Kept for ${firingDays} days.`,
  params: z.object({ id: resourceId('schedule') }),
  query: CursorQuery,
  response: {
    kind: 'json',
    bodies: { 200: z.object({ data: z.array(ScheduleRun), pagination: CursorPagination }) },
  },
  errors: [400, 404],
  needs: { history: firingList },

  async handle({ params, query }, { history }) {
    const { firings, pagination } = await history.listBySchedule(params.id, query);
    return { data: firings.map(toScheduleRun), pagination };
  },
});

export const handler = toLambda(listScheduleRuns);
