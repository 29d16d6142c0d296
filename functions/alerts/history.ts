import * as z from 'zod';
import { alertReader } from '../../shared/domain/alerts/alert-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { AlertParams } from './schemas.ts';

const AlertHistory = z.object({
  data: z.array(
    z.object({ type: z.enum(['firing', 'resolved']), at: z.string(), value: z.number().nullable() }),
  ),
});

export const getAlertHistory = defineEndpoint({
  id: 'alerts.history',
  method: 'GET',
  path: '/v1/alerts/{id}/history',
  permission: 'ALERTS:READ',
  summary: 'Get what an alert has told',
  description: 'Its messages of the last 90 days, newest first, at most 1,000.',
  params: AlertParams,
  response: { kind: 'json', bodies: { 200: AlertHistory } },
  errors: [400, 404],
  needs: { alerts: alertReader },
  handle: async ({ params }, { alerts }) => ({ data: await alerts.history(params.id) }),
});

export const handler = toLambda(getAlertHistory);
