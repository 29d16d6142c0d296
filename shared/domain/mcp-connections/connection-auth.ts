import * as z from 'zod';
import { resourceId } from '../../core/ids.ts';

export const ConnectionId = resourceId('mcpconn').meta({
  description:
    'For oauth: the MCP connection whose tokens authorize the requests. The URL must be that of the connection, or below it',
});

/** How a tool names a connection. */
export const OAuthAuth = z.strictObject({ type: z.literal('oauth'), connectionId: ConnectionId });
