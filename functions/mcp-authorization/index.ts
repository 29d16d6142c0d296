import type { EndpointGroup } from '../../shared/platform/http/endpoint.ts';
import { endMcpAuthorization } from './callback.ts';
import { getMcpClientMetadata } from './client-metadata.ts';
import { openMcpLink } from './open.ts';

/** A group of its own: its role may decrypt client secrets, and that of the connections may not. */
export const mcpAuthorizationGroup = {
  description:
    'What a person’s browser and authorization servers request while an MCP connection is authorized.',
  endpoints: [openMcpLink, endMcpAuthorization, getMcpClientMetadata],
} as const satisfies EndpointGroup;
