/**
 * What is kept of an authorization server and of this client at it, and the client as the MCP SDK writes it.
 * Only members that are used stay: they come from strangers (`prepare.ts` checks them), and are stored
 * encrypted with the connection (`domain/mcp-connections`).
 */
import type { OAuthClientInformationMixed } from '@modelcontextprotocol/client';
import * as z from 'zod';

export const OAuthServer = z.object({
  authorizationServerUrl: z.string(),
  metadata: z.object({
    issuer: z.string(),
    authorization_endpoint: z.string(),
    token_endpoint: z.string(),
    response_types_supported: z.array(z.string()),
    code_challenge_methods_supported: z.array(z.string()),
    token_endpoint_auth_methods_supported: z.array(z.string()).optional(),
    authorization_response_iss_parameter_supported: z.boolean().optional(),
  }),
  /** The resource indicator of the MCP server (RFC 8707), if its metadata names one. */
  resource: z.string().optional(),
  scope: z.string().optional(),
});
export type OAuthServer = z.infer<typeof OAuthServer>;

export const OAuthClient = z.object({
  clientId: z.string().min(1).max(2_000),
  clientSecret: z.string().min(1).max(10_000).optional(),
  /** How the client authenticates, if its registration says so. */
  authMethod: z.string().max(100).optional(),
  /** Unix seconds; 0 for never. */
  secretExpiresAt: z.number().optional(),
});

export type OAuthClient = z.infer<typeof OAuthClient>;

export const toSdkClient = ({
  clientId,
  clientSecret,
  authMethod,
  issuer,
}: OAuthClient & { issuer?: string | undefined }) => ({
  client_id: clientId,
  ...(clientSecret !== undefined && { client_secret: clientSecret }),
  ...(authMethod !== undefined && { token_endpoint_auth_method: authMethod }),
  ...(issuer !== undefined && { issuer }),
});

export const fromSdkClient = (information: OAuthClientInformationMixed) => ({
  clientId: information.client_id,
  clientSecret: information.client_secret,
  authMethod:
    'token_endpoint_auth_method' in information ? information.token_endpoint_auth_method : undefined,
  secretExpiresAt: information.client_secret_expires_at,
});
