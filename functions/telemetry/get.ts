import { telemetryReader } from '../../shared/domain/telemetry/telemetry-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { TelemetryResponse, toTelemetryResponse } from './schemas.ts';

export const getTelemetry = defineEndpoint({
  id: 'telemetry.get',
  method: 'GET',
  path: '/v1/telemetry',
  permission: 'TELEMETRY:READ',
  summary: 'Get where runs are sent',
  description: 'The values of headers are never returned. 404 without a setting.',
  response: { kind: 'json', bodies: { 200: TelemetryResponse } },
  errors: [404],
  needs: { read: telemetryReader },

  handle: async (_request, { read }) => toTelemetryResponse(await read()),
});

export const handler = toLambda(getTelemetry);
