import { alertWriter } from '../../shared/domain/alerts/alert-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { AlertChange, AlertParams, AlertResponse, toAlertResponse } from './schemas.ts';

export const updateAlert = defineEndpoint({
  id: 'alerts.update',
  method: 'PUT',
  path: '/v1/alerts/{id}',
  permission: 'ALERTS:WRITE',
  summary: 'Change an alert',
  description:
    'Missing members stay unchanged; `scope` and `notify` are replaced as a whole, and `above` takes the place of `below` or the other way round. One that fires is told as resolved when it is disabled. A first `webhookUrl` makes `notify.secret`, which this response alone shows.',
  params: AlertParams,
  body: AlertChange,
  response: { kind: 'json', bodies: { 200: AlertResponse } },
  errors: [400, 404, 409],
  needs: { alerts: alertWriter },

  handle: async ({ params, body, principal }, { alerts }) =>
    toAlertResponse(await alerts.update(principal, params.id, body)),
});

export const handler = toLambda(updateAlert);
