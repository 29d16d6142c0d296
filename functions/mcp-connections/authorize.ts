import * as z from 'zod';
import { mcpConnectionStore } from '../../shared/domain/mcp-connections/connection-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { ConnectionParams, ConnectionResponse, Scopes, toLinkedResponse } from './schemas.ts';

export const authorizeMcpConnection = defineEndpoint({
  id: 'mcp-connections.authorize',
  method: 'POST',
  path: '/v1/mcp-connections/{id}/authorize',
  permission: 'SECRETS:WRITE',
  summary: 'Create a new link for an MCP connection',
  description:
    'For a connection that expired or failed, or that needs more scopes: those that the server demanded in a run are asked for too. The link before stops working; the tokens stay in use until a person has authorized again. `scopes: null` asks for what the server wants. 422 and 502 as for a new connection.',
  params: ConnectionParams,
  body: z.strictObject({ scopes: Scopes.nullable().optional() }).meta({ examples: [{}] }),
  response: { kind: 'json', bodies: { 200: z.object({ data: ConnectionResponse }) } },
  shownOnce: ['data.authorizeUrl'],
  errors: [400, 404, 409, 422, 502],
  needs: { connections: mcpConnectionStore },

  async handle({ params, body, principal, baseUrl, signal }, { connections }) {
    const asking = { baseUrl: baseUrl(), signal };
    const linked = await connections.authorize(principal, params.id, body, asking);
    return { data: toLinkedResponse(linked, asking.baseUrl) };
  },
});

export const handler = toLambda(authorizeMcpConnection);
