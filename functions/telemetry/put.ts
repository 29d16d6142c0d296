import { toKindPermission } from '../../shared/domain/runs/kind-permissions.ts';
import { runKinds } from '../../shared/domain/runs/run.ts';
import { listValueSecretKeys, TelemetryBody } from '../../shared/domain/telemetry/telemetry-setting.ts';
import { telemetryWriter } from '../../shared/domain/telemetry/telemetry-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import type { Permission } from '../../shared/platform/identity/permissions.ts';
import { requireAll } from '../../shared/platform/identity/principal.ts';
import { TelemetryResponse, toTelemetryResponse } from './schemas.ts';

const example = {
  endpoint: 'https://otlp.example.com',
  headers: { 'x-api-key': '{{secret:COLLECTOR_KEY}}' },
  content: 'none' as const,
  enabled: true,
  sample: 1,
};

export const putTelemetry = defineEndpoint({
  id: 'telemetry.put',
  method: 'PUT',
  path: '/v1/telemetry',
  permission: 'TELEMETRY:WRITE',
  summary: 'Set where runs are sent',
  description: `Each run that ends from now on is sent to an OpenTelemetry collector: its trace with the runs inside of it, as OTLP over HTTP (\`application/x-protobuf\`), within a minute. After 429, 5xx and failed connections it is sent again, for an hour; a collector may get a run twice, with the same span ids. Other responses end the export of the run, and redirects are not followed.

A header with \`{{secret:KEY}}\` also requires \`SECRETS:WRITE\`, because its value goes to the collector; \`content: full\` also requires \`FLOWS:READ\`, \`AGENTS:READ\` and \`TOOLS:READ\`, because the collector gets what these show. 403 names what is missing.

The setting is replaced as a whole. The address must be public and https, unless the deployment allows its host. Runs that ended before keep the previous setting.`,
  body: TelemetryBody.meta({ examples: [example] }),
  response: { kind: 'json', bodies: { 200: TelemetryResponse } },
  errors: [400, 409],
  needs: { telemetry: telemetryWriter },

  async handle({ body, principal }, { telemetry }) {
    requireAll(principal, permissionsFor(body));
    return toTelemetryResponse(await telemetry.put(principal, body));
  },
});

/** What the collector would get, the caller must have the right to get or to use. */
const permissionsFor = ({ headers, content }: TelemetryBody): Permission[] => [
  ...(Object.values(headers).flatMap(listValueSecretKeys).length > 0 ? (['SECRETS:WRITE'] as const) : []),
  ...(content === 'full' ? runKinds.map((kind) => toKindPermission(kind, 'READ')) : []),
];

export const handler = toLambda(putTelemetry);
