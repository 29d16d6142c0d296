import * as z from 'zod';
import { oauthClientMetadata } from '../../shared/adapters/mcp-oauth/client-metadata.ts';
import { callbackPath, clientMetadataPath } from '../../shared/domain/mcp-connections/connection-paths.ts';
import { defineScope } from '../../shared/platform/auth/public-scope.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';

const ClientMetadata = z
  .object({
    client_id: z.string(),
    client_name: z.string(),
    redirect_uris: z.array(z.string()),
    grant_types: z.array(z.string()),
    response_types: z.array(z.string()),
    token_endpoint_auth_method: z.literal('none'),
    application_type: z.literal('web'),
  })
  .meta({ id: 'McpClientMetadata' });

export const getMcpClientMetadata = defineEndpoint({
  id: 'mcp-authorization.client-metadata',
  method: 'GET',
  path: clientMetadataPath,
  permission: 'public',
  scope: defineScope({
    what: 'Client metadata',
    uses: [],
    from: async (_event, runtime) => runtime.scopeOf(''),
    limit: { per: 'address', perHour: 1_000, perDay: 10_000 },
  }),
  summary: 'Get the metadata of the service as an OAuth client',
  description:
    'The client id metadata document: its address is the `client_id` of the service at authorization servers that support that, where the service is reached by https.',
  response: { kind: 'json', bodies: { 200: ClientMetadata }, cached: { maxAgeSeconds: 3_600 } },
  needs: {},

  handle: ({ baseUrl }) => ({
    client_id: baseUrl() + clientMetadataPath,
    ...oauthClientMetadata(baseUrl() + callbackPath),
    token_endpoint_auth_method: 'none' as const,
    application_type: 'web' as const,
  }),
});

export const handler = toLambda(getMcpClientMetadata);
