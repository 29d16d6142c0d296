import { createHash, randomBytes } from 'node:crypto';
import { unixSeconds } from '../../core/time.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Write } from '../../platform/data/writes.ts';
import { type McpConnection, mcpLinkEntity } from './mcp-connection.ts';

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
