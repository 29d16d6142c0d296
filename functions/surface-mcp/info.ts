import { protocolVersions } from '../../shared/adapters/mcp-server/protocol-versions.ts';
import { notFound } from '../../shared/core/errors/errors.ts';
import { assertBelongs, exposedItems } from '../../shared/domain/surfaces/exposed-item.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { SurfaceParams } from '../surfaces/response-schemas.ts';
import { mcpHeaders, surfaceMcpPath } from './paths.ts';
import { McpInfo } from './schemas.ts';

export const getMcpInfo = defineEndpoint({
  id: 'surface-mcp.info',
  method: 'GET',
  path: '/v1/products/{id}/surfaces/{surfaceId}/mcp/info',
  requestHeaders: mcpHeaders,
  permission: 'PRODUCTS:EXECUTE',
  accepts: ['surface-key'],
  summary: 'Get how to connect to an mcp surface',
  description:
    'The address, the protocol and the credential for an MCP client. 403 for a key of another surface or product; 404 if the surface is of another type.',
  params: SurfaceParams,
  response: { kind: 'json', bodies: { 200: McpInfo } },
  errors: [400, 404],
  needs: { items: exposedItems },

  async handle({ params: { id, surfaceId }, principal, baseUrl }, { items }) {
    const { surface, product } = await items.findSurface(id, surfaceId);
    assertBelongs(surface, principal);
    if (surface.type !== 'mcp') throw notFound('MCP server');
    const endpoint = baseUrl() + surfaceMcpPath({ id, surfaceId });
    const authentication = { type: 'bearer', header: 'Authorization', format: 'Bearer <key>' };
    const [protocolVersion = ''] = protocolVersions;
    return { mcp: { endpoint, manifest: `${endpoint}/info`, protocolVersion, authentication }, product };
  },
});

export const handler = toLambda(getMcpInfo);
