import type { OAuthClient } from '../../adapters/mcp-oauth/collecting-provider.ts';
import type { connectionOpener } from './connection-secrets.ts';
import type { McpConnection } from './mcp-connection.ts';

type Open = ReturnType<typeof connectionOpener>;

/** The client of a connection with its secret. Never store or return it. */
export async function clientWithSecret(
  open: Open,
  { id, client, sealedSecret }: Pick<McpConnection, 'id' | 'client' | 'sealedSecret'>,
): Promise<OAuthClient> {
  const { authMethod } = client;
  const secret = sealedSecret === null ? {} : await open(id, 'secret', sealedSecret);
  return { clientId: client.id, ...secret, ...(authMethod !== null && { authMethod }) };
}

/** Whether the authorization server does not know the client, which has to be registered anew. */
export const isClientRefusal = (error: unknown) =>
  error instanceof Error &&
  'oauthCode' in error &&
  ['invalid_client', 'unauthorized_client'].includes(String(error.oauthCode));
