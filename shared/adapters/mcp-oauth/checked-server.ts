import type { OAuthDiscoveryState } from '@modelcontextprotocol/client';
import { StepError } from '../../core/errors/step-error.ts';
import type { OAuthServer } from './oauth-server.ts';
import { secureUrl } from './secure-url.ts';

const authMethods = ['client_secret_basic', 'client_secret_post', 'none'];

/** Checks what a stranger's metadata says before anything is sent to it. @throws StepError */
export function checkedServer({
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
  const known = metadata.token_endpoint_auth_methods_supported?.filter((method) =>
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
      ...(known && { token_endpoint_auth_methods_supported: known }),
      ...(saysIssuer === true && { authorization_response_iss_parameter_supported: true }),
    },
  };
}
