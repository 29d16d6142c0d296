import { requireEnv } from '../../shared/core/environment.ts';
import { defineScope } from '../../shared/platform/auth/public-scope.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { SurfaceParams } from '../surfaces/response-schemas.ts';
import { mcpHeaders, mcpMetadataPath, surfaceMcpPath } from './paths.ts';
import { ProtectedResource } from './schemas.ts';

export const getMcpMetadata = defineEndpoint({
  id: 'surface-mcp.metadata',
  method: 'GET',
  path: mcpMetadataPath,
  requestHeaders: mcpHeaders,
  permission: 'public',
  scope: defineScope({
    what: 'Metadata',
    uses: ['credentials'],
    from: async (_event, runtime) => runtime.scopeOf(''),
    limit: { per: 'address', perHour: 1_000, perDay: 10_000 },
  }),
  summary: 'Get how to authorize at an mcp surface',
  description:
    'The metadata of a protected resource (RFC 9728), to which a 401 of the surface refers: the OIDC issuer whose tokens it takes, which are those of sessions. The issuer decides whether clients can register there themselves. The document is the same whether the surface exists or not.',
  params: SurfaceParams,
  response: { kind: 'json', bodies: { 200: ProtectedResource } },
  errors: [400],
  needs: {},

  handle: ({ params, baseUrl }) => ({
    resource: baseUrl() + surfaceMcpPath(params),
    authorization_servers: [requireEnv('OIDC_ISSUER')],
    bearer_methods_supported: ['header'],
  }),
});

export const handler = toLambda(getMcpMetadata);
