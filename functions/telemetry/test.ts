import * as z from 'zod';
import { telemetryTester } from '../../shared/execution/telemetry/test-telemetry.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';

const Result = z
  .object({
    ok: z.boolean().meta({ description: 'Whether the collector accepted the span' }),
    status: z.int().nullable().meta({ description: 'The HTTP status of its response; null without one' }),
    message: z.string().meta({ description: 'What happened, for people: the reason if it was not accepted' }),
  })
  .meta({
    id: 'TelemetryTest',
    examples: [{ ok: false, status: 401, message: 'The collector answered 401' }],
  });

export const testTelemetry = defineEndpoint({
  id: 'telemetry.test',
  method: 'POST',
  path: '/v1/telemetry/test',
  permission: 'TELEMETRY:WRITE',
  summary: 'Send a test span',
  description:
    'Sends one span named `test` to the collector of the setting, once, also if the setting is disabled. 404 without a setting.',
  response: { kind: 'json', bodies: { 200: Result } },
  errors: [400, 404],
  needs: { test: telemetryTester },

  handle: (_request, { test }) => test(),
});

export const handler = toLambda(testTelemetry);
