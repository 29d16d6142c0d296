/**
 * Finds out how a person authorizes the service at an MCP server: the authorization server, the client, resource and scopes.
 *
 * The SDK follows the protocol. It gets a provider that poses as a client without tokens, so it begins an authorization;
 * what it finds out on the way is kept in the provider. Of the metadata only the members that are used stay; a server
 * whose addresses `secureUrl` refuses, or without PKCE with S256, is refused. A client that was given is never replaced by
 * a registered one, so that another server does not get its secret. Nothing is stored or redirected here: the caller
 * (`connection-store.ts`) does that. It sends requests to the stranger's servers, for ten seconds each, and may register a client.
 */
import {
  auth,
  computeScopeUnion,
  extractWWWAuthenticateParams,
  type OAuthClientInformationMixed,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
} from '@modelcontextprotocol/client';
import { StepError } from '../../core/errors/step-error.ts';
import type { McpPort } from '../ports/mcp-port.ts';
import { oauthClientMetadata } from './client-metadata.ts';
import { oauthFailure, oauthFetch, secureUrl } from './oauth-fetch.ts';
import { fromSdkClient, OAuthClient, OAuthServer, toSdkClient } from './oauth-server.ts';

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

export interface PreparedAuthorization {
  server: OAuthServer;
  client: OAuthClient;
  /** `metadata`: identified by a document of ours. `registered`: by dynamic registration. `given`: as it was given. */
  clientKind: 'given' | 'metadata' | 'registered';
}

interface Preparation {
  /** Of the MCP server. */
  url: string;
  redirectUrl: string;
  /** Where the document about this client is published, if at an https address. */
  clientMetadataUrl: string | undefined;
  /** A client that was given, or registered at this issuer before. */
  client: (OAuthClient & { issuer?: string | undefined; isGiven: boolean }) | undefined;
  /** Instead of the scopes that the server asks for. */
  scope: string | undefined;
  /** In addition. */
  moreScope: string | undefined;
  signal: AbortSignal;
}

/** Has nothing stored, so that the SDK begins an authorization, and collects what it finds out. */
function createCollectingProvider({ redirectUrl, clientMetadataUrl, client, url }: Preparation) {
  let server: Omit<OAuthServer, 'resource' | 'scope'> | undefined;
  let address: URL | undefined;
  let clientInfo: OAuthClientInformationMixed | undefined = client && toSdkClient(client);
  const provider = {
    redirectUrl,
    clientMetadata: oauthClientMetadata(redirectUrl),
    ...(clientMetadataUrl && { clientMetadataUrl }),
    clientInformation: () => clientInfo,
    // A given client belongs to its authorization server: another one must not get its secret.
    ...(!client?.isGiven && {
      saveClientInformation(information: OAuthClientInformationMixed) {
        clientInfo = information;
      },
    }),
    tokens: () => undefined,
    saveTokens() {},
    saveDiscoveryState(state: Parameters<typeof checkServer>[0]) {
      server = checkServer(state);
    },
    discoveryState: () => undefined,
    redirectToAuthorization(target: URL) {
      address = target;
    },
    saveCodeVerifier() {},
    codeVerifier: () => '',
    getAuthorization(): PreparedAuthorization {
      const { data } = OAuthClient.safeParse(clientInfo && fromSdkClient(clientInfo));
      if (!server || !address || !data) throw new StepError(`${new URL(url).origin} needs no authorization`);
      const { searchParams } = address;
      const [resource, scope] = [searchParams.get('resource'), searchParams.get('scope')];
      return {
        server: OAuthServer.parse({ ...server, ...(resource && { resource }), ...(scope && { scope }) }),
        client: data,
        clientKind: client?.isGiven
          ? 'given'
          : data.clientId === clientMetadataUrl
            ? 'metadata'
            : 'registered',
      };
    },
  };
  return provider satisfies OAuthClientProvider & { getAuthorization: () => PreparedAuthorization };
}

const authMethods = ['client_secret_basic', 'client_secret_post', 'none'];

/** Checks what a stranger's metadata says before anything is sent to it. @throws StepError */
function checkServer({
  authorizationServerUrl,
  authorizationServerMetadata: metadata,
}: OAuthDiscoveryState): Pick<OAuthServer, 'authorizationServerUrl' | 'metadata'> {
  if (!metadata) {
    throw new StepError(
      'The MCP server offers no OAuth: neither it nor its authorization server publishes metadata (RFC 9728, RFC 8414, OpenID Connect discovery). Give "auth" of another type',
    );
  }
  for (const url of [authorizationServerUrl, metadata.authorization_endpoint, metadata.token_endpoint])
    secureUrl(url);
  if (metadata.registration_endpoint) secureUrl(metadata.registration_endpoint);
  if (!metadata.code_challenge_methods_supported?.includes('S256')) {
    throw new StepError(
      'The authorization server does not support PKCE with S256, without which a code could be stolen',
    );
  }
  const supportedMethods = metadata.token_endpoint_auth_methods_supported?.filter((method) =>
    authMethods.includes(method),
  );
  const saysIssuer = metadata.authorization_response_iss_parameter_supported;
  return {
    authorizationServerUrl,
    metadata: {
      issuer: metadata.issuer,
      authorization_endpoint: metadata.authorization_endpoint,
      token_endpoint: metadata.token_endpoint,
      response_types_supported: metadata.response_types_supported.filter((type) => type === 'code'),
      code_challenge_methods_supported: ['S256'],
      ...(supportedMethods && { token_endpoint_auth_methods_supported: supportedMethods }),
      ...(saysIssuer === true && { authorization_response_iss_parameter_supported: true }),
    },
  };
}
