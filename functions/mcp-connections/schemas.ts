import * as z from 'zod';
import { resourceId } from '../../shared/core/ids.ts';
import { nameUpTo } from '../../shared/core/name.ts';
import { ServerUrl } from '../../shared/domain/flows/steps/http-config.ts';
import { openPath } from '../../shared/domain/mcp-connections/connection-paths.ts';
import type { Linked } from '../../shared/domain/mcp-connections/connection-store.ts';
import {
  getConnectionStatus,
  type ShownConnection,
} from '../../shared/domain/mcp-connections/mcp-connection.ts';
import { SecretValue } from '../../shared/domain/secrets/secret.ts';

export const ConnectionParams = z.object({ id: resourceId('mcpconn') });

export const Scopes = z
  .array(
    z
      .string()
      .regex(/^(?:[!#-Z^-~]|\[|\]){1,200}$/, 'Expected a scope of OAuth: printable ASCII without blanks'),
  )
  .min(1)
  .max(50);

export const CreateConnectionBody = z
  .strictObject({
    url: ServerUrl.meta({
      description: 'Of the MCP server. Its tokens are sent to this address, or below it, only',
    }),
    name: nameUpTo(100).optional().meta({ description: 'Default: the host of the server' }),
    scopes: Scopes.optional().meta({ description: 'Default: what the server asks for' }),
    clientId: z.string().min(1).max(2_000).optional().meta({
      description:
        'A client that is registered at the authorization server. Default: the service registers itself',
    }),
    clientSecret: SecretValue.optional(),
  })
  .refine(({ clientId, clientSecret }) => clientId !== undefined || clientSecret === undefined, {
    path: ['clientId'],
    message: 'Required with clientSecret',
  })
  .meta({ examples: [{ url: 'https://mcp.example.com/mcp', name: 'Issue tracker' }] });

const example = {
  id: 'mcpconn_01k9m4v7d3x8qz5w2r6t0y1hbn',
  url: 'https://mcp.example.com/mcp',
  name: 'Issue tracker',
  status: 'pending',
  error: null,
  scopes: ['issues:read'],
  grantedScopes: [],
  clientId: 'https://api.example.org/v1/public/mcp-connections/client',
  callbackUrl: 'https://api.example.org/v1/public/mcp-connections/callback',
  expiresAt: null,
  authorizeUrl:
    'https://api.example.org/v1/public/mcp-connections/open?token=nyT4kXVbH2qE0rZ9uS6cJw1mLpD8aG5iFo3vKxQeYtU',
  authorizeUrlExpiresAt: '2026-11-23T09:30:00.000Z',
  createdAt: '2026-11-22T09:30:00.000Z',
  updatedAt: '2026-11-22T09:30:00.000Z',
};

/** A connection as responses show it, without its tokens. */
export const ConnectionResponse = z
  .object({
    id: z.string(),
    url: z.string(),
    name: z.string(),
    status: z.enum(['pending', 'connected', 'expired', 'failed']).meta({
      description:
        '`pending`: nobody has opened the link. `expired`, `failed`: a person has to authorize again, with a new link',
    }),
    error: z.string().nullable().meta({ description: 'What went wrong last' }),
    scopes: z.array(z.string()).nullable().meta({ description: 'As the request named them' }),
    grantedScopes: z.array(z.string()),
    clientId: z.string().meta({ description: 'As which client the authorization server knows the service' }),
    callbackUrl: z
      .string()
      .meta({ description: 'The redirect URL, for clients that are registered by hand' }),
    expiresAt: z
      .string()
      .nullable()
      .meta({ description: 'Of the access token, which is refreshed if possible' }),
    authorizeUrl: z.string().nullable().meta({
      description: 'The link for a person. Only the responses that create it show it',
    }),
    authorizeUrlExpiresAt: z.string().nullable().meta({ description: 'null if there is no unused link' }),
    createdAt: z.string(),
    updatedAt: z.string(),
  })
  .meta({ id: 'McpConnection', examples: [example] });

/** @param authorizeUrl Right after the link was made. */
export function toConnectionResponse(connection: ShownConnection, authorizeUrl: string | null = null) {
  const now = new Date();
  const { client, link, canRefresh: _canRefresh, ...shown } = connection;
  const isOpen = link !== null && link.expiresAt > now.toISOString();
  return {
    ...shown,
    status: getConnectionStatus(connection, now),
    clientId: client.id,
    callbackUrl: client.redirectUrl,
    authorizeUrl,
    authorizeUrlExpiresAt: isOpen ? link.expiresAt : null,
  };
}

export const toLinkedResponse = ({ connection, token }: Linked, baseUrl: string) =>
  toConnectionResponse(connection, `${baseUrl}${openPath}?token=${token}`);
