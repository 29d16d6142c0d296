import { alertWriter } from '../../shared/domain/alerts/alert-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { AlertResponse, NewAlert, toAlertResponse } from './schemas.ts';

export const createAlert = defineEndpoint({
  id: 'alerts.create',
  method: 'POST',
  path: '/v1/alerts',
  permission: 'ALERTS:WRITE',
  summary: 'Create an alert',
  description: `Tells when a number of runs is above or below a bound in a window of full minutes: \`runs\` below 1 says that a schedule has stopped. Runs count in the minute of their end. It is evaluated each minute; runs that ended before it was made count too.

Firing and resolving are a message each, \`alert.firing\` and \`alert.resolved\`, to the webhook and to each email address; each is sent at most once in \`windowMinutes\`. What was held back is told when the window is over, if it still holds. The webhook gets \`{type, timestamp, data: {alertId, name, metric, scope, windowMinutes, above?, below?, value}}\`, signed by Standard Webhooks with \`notify.secret\`, which this response alone shows; webhooks of Slack and Teams get their own form of message (\`notify.webhookFormat\`). 409 if the tenant has 100 alerts.`,
  body: NewAlert,
  response: { kind: 'json', bodies: { 201: AlertResponse } },
  shownOnce: ['notify.secret'],
  errors: [400, 409],
  needs: { alerts: alertWriter },

  handle: async ({ body, principal }, { alerts }) => toAlertResponse(await alerts.create(principal, body)),
});

export const handler = toLambda(createAlert);
