import * as z from 'zod';
import { alertWriter } from '../../shared/domain/alerts/alert-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { AlertParams } from './schemas.ts';

export const deleteAlert = defineEndpoint({
  id: 'alerts.delete',
  method: 'DELETE',
  path: '/v1/alerts/{id}',
  permission: 'ALERTS:WRITE',
  summary: 'Delete an alert',
  description: 'Nobody is told.',
  params: AlertParams,
  response: { kind: 'json', bodies: { 204: z.void() } },
  errors: [400, 404],
  needs: { alerts: alertWriter },
  handle: ({ params, principal }, { alerts }) => alerts.remove(principal, params.id),
});

export const handler = toLambda(deleteAlert);
