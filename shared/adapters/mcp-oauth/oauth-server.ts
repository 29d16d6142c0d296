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
