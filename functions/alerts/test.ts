import * as z from 'zod';
import { alertTester } from '../../shared/domain/alerts/alert-messages.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { AlertParams } from './schemas.ts';

export const testAlert = defineEndpoint({
  id: 'alerts.test',
  method: 'POST',
  path: '/v1/alerts/{id}/test',
  permission: 'ALERTS:WRITE',
  summary: 'Send a test message of an alert',
  description:
    'Sends `alert.test` to the webhook and to each email address, as `alert.firing` would be sent, also if the alert is disabled. It is not in the history, and changes no state. 409 if the alert tells nobody.',
  params: AlertParams,
  response: {
    kind: 'json',
    bodies: {
      202: z.object({ messages: z.int().meta({ description: 'How many are on their way' }) }).meta({
        examples: [{ messages: 2 }],
      }),
    },
  },
  errors: [400, 404, 409],
  needs: { test: alertTester },
  handle: async ({ params }, { test }) => ({ messages: await test(params.id) }),
});

export const handler = toLambda(testAlert);
