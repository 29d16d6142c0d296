import * as z from 'zod';
import { telemetryWriter } from '../../shared/domain/telemetry/telemetry-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';

export const deleteTelemetry = defineEndpoint({
  id: 'telemetry.delete',
  method: 'DELETE',
  path: '/v1/telemetry',
  permission: 'TELEMETRY:WRITE',
  summary: 'Stop the export',
  description: 'For runs that end from now on. Runs that ended before are still sent, for an hour.',
  response: { kind: 'json', bodies: { 200: z.object({ success: z.boolean() }) } },
  errors: [400, 404, 409],
  needs: { telemetry: telemetryWriter },

  async handle({ principal }, { telemetry }) {
    await telemetry.remove(principal);
    return { success: true };
  },
});

export const handler = toLambda(deleteTelemetry);
