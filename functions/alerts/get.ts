import { alertReader } from '../../shared/domain/alerts/alert-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { AlertParams, AlertResponse, toAlertResponse } from './schemas.ts';

export const getAlert = defineEndpoint({
  id: 'alerts.get',
  method: 'GET',
  path: '/v1/alerts/{id}',
  permission: 'ALERTS:READ',
  summary: 'Get an alert',
  description: 'With its state, and the value of the last evaluation.',
  params: AlertParams,
  response: { kind: 'json', bodies: { 200: AlertResponse } },
  errors: [400, 404],
  needs: { alerts: alertReader },
  handle: async ({ params }, { alerts }) => toAlertResponse(await alerts.find(params.id)),
});

export const handler = toLambda(getAlert);
