import type { EndpointGroup } from '../../shared/platform/http/endpoint.ts';
import { deleteTelemetry } from './delete.ts';
import { getTelemetry } from './get.ts';
import { putTelemetry } from './put.ts';
import { testTelemetry } from './test.ts';

export const telemetryGroup = {
  description: 'Send runs that have ended to an OpenTelemetry collector.',
  endpoints: [getTelemetry, putTelemetry, deleteTelemetry, testTelemetry],
} as const satisfies EndpointGroup;
