import type { OAuthClientMetadata } from '@modelcontextprotocol/client';

/** What an authorization server learns of this service as a client. */
export const oauthClientMetadata = (redirectUrl: string) =>
  ({
    client_name: 'Agent and Flow Automation Service',
    redirect_uris: [redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
  }) satisfies OAuthClientMetadata;
