import * as z from 'zod';
import { alertReader } from '../../shared/domain/alerts/alert-store.ts';
import { CursorPagination, CursorQuery, paginateAll } from '../../shared/platform/data/lists/pages.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { AlertResponse, toAlertResponse } from './schemas.ts';

export const listAlerts = defineEndpoint({
  id: 'alerts.list',
  method: 'GET',
  path: '/v1/alerts',
  permission: 'ALERTS:READ',
  summary: 'List alerts',
  description: 'With their states, newest first.',
  query: CursorQuery,
  response: {
    kind: 'json',
    bodies: { 200: z.object({ data: z.array(AlertResponse), pagination: CursorPagination }) },
  },
  errors: [400],
  needs: { alerts: alertReader },

  async handle({ query }, { alerts }) {
    const all = (await alerts.list()).map(toAlertResponse);
    const { rows, pagination } = paginateAll(all, 'alert', query);
    return { data: rows, pagination };
  },
});

export const handler = toLambda(listAlerts);
