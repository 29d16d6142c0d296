import { createHash, randomBytes } from 'node:crypto';
import * as z from 'zod';
import { OAuthServer } from '../../adapters/mcp-oauth/oauth-server.ts';
import { unixSeconds } from '../../core/time.ts';
import { credentialPartition } from '../../platform/auth/api-key.ts';
import { defineEntity } from '../../platform/data/entity.ts';
import { tenantPartition } from '../../platform/data/keys.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Write } from '../../platform/data/writes.ts';

/** This service as a client of the authorization server, without the secret. */
const Client = z.object({
  kind: z.enum(['given', 'metadata', 'registered']),
  id: z.string(),
  /** The issuer that knows it. */
  issuer: z.string(),
  redirectUrl: z.string(),
  authMethod: z.string().nullable(),
  /** Unix seconds; 0 for never. */
  secretExpiresAt: z.number(),
  /** The authorization server does not know it any more. */
  isRefused: z.boolean(),
});

const Begun = z.object({
  stateHash: z.string(),
  /** Of the cookie of the browser that opened the link. */
  browserHash: z.string(),
  sealedVerifier: z.string(),
  redirectUrl: z.string(),
  expiresAt: z.string(),
});

/** The link that a person opens once. */
const Link = z.object({ hash: z.string(), expiresAt: z.string() });

/** A process is refreshing the tokens. */
const Lease = z.object({ id: z.string(), until: z.string() });

/** A person's authorization at an MCP server. Its tokens, its client secret and the verifier are encrypted. */
export const McpConnection = z.object({
  id: z.string(),
  revision: z.int(),
  userId: z.string(),
  organizationId: z.string().nullable(),
  name: z.string(),
  url: z.string(),
  /** What is asked for, instead of what the server wants; null if nothing was said. */
  scopes: z.array(z.string()).nullable(),
  /** Scopes that the server demanded later. */
  demandedScopes: z.array(z.string()),
  grantedScopes: z.array(z.string()),
  status: z.enum(['pending', 'connected', 'expired', 'failed']),
  /** Why the status is expired or failed. */
  error: z.string().nullable(),
  expiresAt: z.string().nullable(),
  canRefresh: z.boolean(),
  server: OAuthServer,
  client: Client,
  sealedSecret: z.string().nullable(),
  sealedTokens: z.string().nullable(),
  /** Incremented with each new set of tokens. */
  tokensVersion: z.int(),
  lease: Lease.nullable(),
  link: Link.nullable(),
  begun: Begun.nullable(),
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type McpConnection = z.infer<typeof McpConnection>;

export const mcpConnectionsPartition = tenantPartition('MCPCONNECTIONS');

export const mcpConnectionEntity = defineEntity({
  type: 'mcpConnection',
  noun: 'MCP connection',
  schema: McpConnection,
  key: ({ id }: { id: string }) => ({ PK: tenantPartition(`MCPCONNECTION#${id}`), SK: 'CONNECTION' }),
  index: ({ id }) => ({ PK1: mcpConnectionsPartition, SK1: id }),
  summary: [
    ...(['name', 'url', 'scopes', 'grantedScopes', 'status', 'error'] as const),
    ...(['expiresAt', 'canRefresh', 'link', 'client', 'createdAt', 'updatedAt'] as const),
  ],
});

/** Maps the hash of a link to its connection and their tenant. */
export const mcpLinkEntity = defineEntity({
  type: 'mcpLink',
  schema: z.object({ hash: z.string(), tenant: z.string(), connectionId: z.string(), ttl: z.int() }),
  key: ({ hash }: { hash: string }) => ({ PK: credentialPartition(hash), SK: 'MCP_LINK' }),
});

export type ShownConnection = Pick<
  McpConnection,
  | 'id'
  | ('name' | 'url' | 'scopes' | 'grantedScopes' | 'status' | 'error')
  | ('expiresAt' | 'canRefresh' | 'link' | 'client' | 'createdAt' | 'updatedAt')
>;

/** How a connection stands: without a refresh token, it ends with its access token. */
export const getConnectionStatus = (
  { status, expiresAt, canRefresh }: Pick<McpConnection, 'status' | 'expiresAt' | 'canRefresh'>,
  now: Date,
) =>
  status === 'connected' && !canRefresh && expiresAt !== null && expiresAt <= now.toISOString()
    ? ('expired' as const)
    : status;

const lifeMs = 24 * 3_600_000;

/** 256 random bits, for a URL. */
export const generateToken = () => randomBytes(32).toString('base64url');

/** The only form in which the table stores a token. */
export const hashToken = (token: string) => createHash('sha256').update(token).digest('hex');

/** A link for a connection, which replaces the one before. Commit `write` with the connection. */
export function createLink(
  { table, now }: Scope,
  connectionId: string,
): { token: string; link: NonNullable<McpConnection['link']>; write: Write } {
  const token = generateToken();
  const hash = hashToken(token);
  const expiresAt = new Date(now().getTime() + lifeMs);
  const item = { hash, tenant: table.tenant, connectionId, ttl: unixSeconds(expiresAt) + 1 };
  return {
    token,
    link: { hash, expiresAt: expiresAt.toISOString() },
    write: table.writes.put(mcpLinkEntity, item),
  };
}

/** Only the URL of a connection, or one below it, may get its tokens. The URL parser resolves dots in paths. */
export function isOfResource(url: string, resource: string): boolean {
  const [asked, allowed] = [URL.parse(url), URL.parse(resource)];
  if (!asked || !allowed || asked.origin !== allowed.origin) return false;
  const folder = allowed.pathname.endsWith('/') ? allowed.pathname : `${allowed.pathname}/`;
  return asked.pathname === allowed.pathname || asked.pathname.startsWith(folder);
}
