import { auth, computeScopeUnion, extractWWWAuthenticateParams } from '@modelcontextprotocol/client';
import { StepError } from '../../core/errors/step-error.ts';
import type { McpPort } from '../ports/mcp-port.ts';
import {
  createCollectingProvider,
  type Preparation,
  type PreparedAuthorization,
} from './collecting-provider.ts';
import { oauthFailure, oauthFetch, secureUrl } from './oauth-fetch.ts';

/** The SDK follows the protocol; this checks what the servers say. @throws StepError */
export async function prepareOAuth(preparation: Preparation, mcp: McpPort): Promise<PreparedAuthorization> {
  const { url, signal } = preparation;
  secureUrl(url);
  const { resourceMetadataUrl, scope: challenged } = await fetchChallenge(preparation, mcp);
  const provider = createCollectingProvider(preparation);
  const scope = computeScopeUnion(preparation.scope ?? challenged, preparation.moreScope);
  try {
    await auth(provider, {
      serverUrl: url,
      fetchFn: oauthFetch(signal),
      ...(scope && { scope }),
      ...(resourceMetadataUrl && { resourceMetadataUrl }),
    });
    return provider.getAuthorization();
  } catch (error) {
    signal.throwIfAborted();
    throw oauthFailure(error);
  }
}

/** What the server answers to a request without a credential. */
async function fetchChallenge({ url, signal }: Preparation, mcp: McpPort) {
  const outcome = await mcp.listTools({ url, headers: {}, timeoutMs: 10_000, signal }).catch((error) => {
    // A server may only speak to those who are authorized.
    if (error instanceof StepError && !error.retryable) return undefined;
    throw error;
  });
  return outcome && 'failure' in outcome ? parseChallenge(outcome.challenge) : {};
}

export const parseChallenge = (challenge: string | undefined) =>
  challenge === undefined
    ? {}
    : extractWWWAuthenticateParams(new Response(null, { headers: { 'www-authenticate': challenge } }));
