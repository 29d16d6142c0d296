import type { EndpointGroup } from '../../shared/platform/http/endpoint.ts';
import { authorizeMcpConnection } from './authorize.ts';
import { createMcpConnection } from './create.ts';
import { deleteMcpConnection } from './delete.ts';
import { getMcpConnection } from './get.ts';
import { listMcpConnections } from './list.ts';

export const mcpConnectionsGroup = {
  description:
    'Authorizations at MCP servers by OAuth. A person opens a link once; agents, prompts and tools then use the tokens, which the API never returns.',
  endpoints: [
    listMcpConnections,
    createMcpConnection,
    getMcpConnection,
    authorizeMcpConnection,
    deleteMcpConnection,
  ],
} as const satisfies EndpointGroup;
