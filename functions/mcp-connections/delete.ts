import * as z from 'zod';
import { mcpConnectionStore } from '../../shared/domain/mcp-connections/connection-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { ConnectionParams } from './schemas.ts';

export const deleteMcpConnection = defineEndpoint({
  id: 'mcp-connections.delete',
  method: 'DELETE',
  path: '/v1/mcp-connections/{id}',
  permission: 'SECRETS:WRITE',
  summary: 'Delete an MCP connection',
  description:
    'Deletes its tokens and its link at once. Agents and tools that name it fail until they name another. The access remains listed at the authorization server until a person removes it there.',
  params: ConnectionParams,
  response: { kind: 'json', bodies: { 200: z.object({ success: z.boolean() }) } },
  errors: [400, 404, 409],
  needs: { connections: mcpConnectionStore },

  async handle({ params, principal }, { connections }) {
    await connections.remove(principal, params.id);
    return { success: true };
  },
});

export const handler = toLambda(deleteMcpConnection);
