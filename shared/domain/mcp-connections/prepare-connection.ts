import { mcpPort } from '../../adapters/mcp-client/mcp-adapter.ts';
import type { OAuthClient, PreparedAuthorization } from '../../adapters/mcp-oauth/collecting-provider.ts';
import { unprocessable, upstreamFailed } from '../../core/errors/errors.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { plainStart } from '../../core/plain-start.ts';
import { callbackPath, clientMetadataPath } from './connection-paths.ts';
import type { McpConnection } from './mcp-connection.ts';

export interface ConnectionRequest {
  url: string;
  scopes: string[] | null;
  demandedScopes: readonly string[];
  client: (OAuthClient & { issuer?: string; isGiven: boolean }) | undefined;
}

/** The address of this service, and when to stop. */
export interface ConnectOptions {
  baseUrl: string;
  signal: AbortSignal;
}

/** Discovers the authorization server and registers this service there. @throws 422 with what is wrong, 502 */
export async function prepareConnection(
  tenant: string,
  { url, scopes, demandedScopes, client }: ConnectionRequest,
  { baseUrl, signal }: ConnectOptions,
): Promise<Pick<McpConnection, 'server' | 'client'> & { clientSecret: string | undefined }> {
  const redirectUrl = baseUrl + callbackPath;
  const { prepareOAuth } = await import('../../adapters/mcp-oauth/prepare.ts');
  const preparation = {
    url,
    redirectUrl,
    client,
    signal,
    clientMetadataUrl: baseUrl.startsWith('https://') ? baseUrl + clientMetadataPath : undefined,
    scope: scopes?.join(' '),
    moreScope: demandedScopes.join(' ') || undefined,
  };
  const prepared = await prepareOAuth(preparation, mcpPort(tenant)).catch((error) => {
    throw error instanceof StepError ? refusalOf(error) : error;
  });
  return {
    server: prepared.server,
    client: clientOf(prepared, redirectUrl),
    clientSecret: prepared.client.clientSecret,
  };
}

const clientOf = (
  { client, clientKind: kind, server }: PreparedAuthorization,
  redirectUrl: string,
): McpConnection['client'] => ({
  kind,
  id: client.clientId,
  issuer: server.metadata.issuer,
  redirectUrl,
  authMethod: client.authMethod ?? null,
  secretExpiresAt: client.secretExpiresAt ?? 0,
  isRefused: false,
});

const refusalOf = ({ retryable, message }: StepError) => {
  const words = plainStart(message, 1_000);
  return retryable
    ? upstreamFailed(words)
    : unprocessable({ path: 'url', code: 'UNPROCESSABLE', message: words });
};

/** The client of an earlier authorization, unless it has to be registered anew. */
export function reusableClient({ client }: McpConnection, baseUrl: string, now: Date) {
  const { kind, id: clientId, issuer, redirectUrl, authMethod, secretExpiresAt, isRefused } = client;
  const isGiven = kind === 'given';
  const isOver = secretExpiresAt > 0 && secretExpiresAt * 1_000 <= now.getTime();
  const isElsewhere = redirectUrl !== baseUrl + callbackPath;
  if (!isGiven && (kind === 'metadata' || isOver || isRefused || isElsewhere)) return undefined;
  return { clientId, issuer, isGiven, ...(authMethod !== null && { authMethod }), secretExpiresAt };
}
