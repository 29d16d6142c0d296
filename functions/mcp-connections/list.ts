import * as z from 'zod';
import { mcpConnectionStore } from '../../shared/domain/mcp-connections/connection-store.ts';
import { CursorPagination, CursorQuery } from '../../shared/platform/data/lists/pages.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { ConnectionResponse, toConnectionResponse } from './schemas.ts';

export const listMcpConnections = defineEndpoint({
  id: 'mcp-connections.list',
  method: 'GET',
  path: '/v1/mcp-connections',
  permission: 'SECRETS:READ',
  summary: 'List MCP connections',
  description: 'Newest first, without their tokens.',
  query: CursorQuery,
  response: {
    kind: 'json',
    bodies: { 200: z.object({ data: z.array(ConnectionResponse), pagination: CursorPagination }) },
  },
  errors: [400],
  needs: { connections: mcpConnectionStore },

  async handle({ query }, { connections: store }) {
    const { connections, pagination } = await store.list(query);
    return { data: connections.map((connection) => toConnectionResponse(connection)), pagination };
  },
});

export const handler = toLambda(listMcpConnections);
