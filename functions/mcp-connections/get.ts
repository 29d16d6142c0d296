import * as z from 'zod';
import { mcpConnectionStore } from '../../shared/domain/mcp-connections/connection-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { ConnectionParams, ConnectionResponse, toConnectionResponse } from './schemas.ts';

export const getMcpConnection = defineEndpoint({
  id: 'mcp-connections.get',
  method: 'GET',
  path: '/v1/mcp-connections/{id}',
  permission: 'SECRETS:READ',
  summary: 'Get an MCP connection',
  description: 'Returns the connection without its tokens.',
  params: ConnectionParams,
  response: { kind: 'json', bodies: { 200: z.object({ data: ConnectionResponse }) } },
  errors: [400, 404],
  needs: { connections: mcpConnectionStore },

  handle: async ({ params }, { connections }) => ({
    data: toConnectionResponse(await connections.get(params.id)),
  }),
});

export const handler = toLambda(getMcpConnection);
