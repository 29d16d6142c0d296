import type { TokenSet } from '../../adapters/mcp-oauth/tokens.ts';
import type { connectionSealer } from './connection-secrets.ts';
import type { McpConnection } from './mcp-connection.ts';

export async function sealTokens(
  seal: ReturnType<typeof connectionSealer>,
  { id, server, grantedScopes }: Pick<McpConnection, 'id' | 'server' | 'grantedScopes'>,
  { accessToken, refreshToken, expiresInSeconds, scope }: TokenSet,
  now: Date,
) {
  // A response without a scope grants what was asked for, or leaves it as it was.
  const asked = grantedScopes.length > 0 ? grantedScopes : splitScopes(server.scope);
  const expiresAt =
    expiresInSeconds === undefined ? null : new Date(now.getTime() + expiresInSeconds * 1_000).toISOString();
  const tokens = { accessToken, ...(refreshToken !== undefined && { refreshToken }) };
  return {
    sealedTokens: await seal(id, 'tokens', tokens),
    canRefresh: refreshToken !== undefined,
    grantedScopes: scope === undefined ? asked : splitScopes(scope),
    expiresAt,
    updatedAt: now.toISOString(),
  };
}

const splitScopes = (scope = '') => scope.split(' ').filter((name) => name !== '');
