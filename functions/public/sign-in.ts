import * as z from 'zod';
import { requireEnv } from '../../shared/core/environment.ts';
import { defineScope } from '../../shared/platform/auth/public-scope.ts';
import { discoverSignIn } from '../../shared/platform/auth/sign-in.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';

const example = {
  issuer: 'https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_Ab12Cd34E',
  clientId: '5k9m4v7d3x8qz5w2r6t0y1hbn2',
  authorizationEndpoint:
    'https://agent-flow-prod-123456789012.auth.eu-central-1.amazoncognito.com/oauth2/authorize',
  tokenEndpoint: 'https://agent-flow-prod-123456789012.auth.eu-central-1.amazoncognito.com/oauth2/token',
  endSessionEndpoint: 'https://agent-flow-prod-123456789012.auth.eu-central-1.amazoncognito.com/logout',
  scopes: ['openid', 'email', 'profile'],
  audience: null,
};

const SignIn = z
  .object({
    issuer: z.string(),
    clientId: z.string().meta({ description: 'A public OAuth client, without a secret' }),
    authorizationEndpoint: z.string(),
    tokenEndpoint: z.string(),
    endSessionEndpoint: z.string().nullable().meta({
      description:
        'As the issuer publishes it. That of Amazon Cognito takes `client_id` and `logout_uri` in place of the standard parameters',
    }),
    scopes: z.array(z.string()),
    audience: z
      .string()
      .nullable()
      .meta({ description: 'What to request tokens for; null if that is the client itself' }),
  })
  .meta({ id: 'SignIn', examples: [example] });

export const getSignIn = defineEndpoint({
  id: 'public.sign-in',
  method: 'GET',
  path: '/v1/public/sign-in',
  permission: 'public',
  scope: defineScope({
    what: 'Sign-in',
    uses: ['sign-in'],
    from: async (_event, runtime) => runtime.scopeOf(''),
    limit: { per: 'address', perHour: 1_000, perDay: 10_000 },
  }),
  summary: 'Get how pages sign people in',
  description:
    'What the console needs for a sign-in by OAuth authorization code with PKCE at the OIDC issuer of this deployment. The tokens of the issuer are sessions of this API. 404 if the deployment has no client for the console, or if the issuer publishes no endpoints for it; 503 if the issuer does not respond.',
  response: { kind: 'json', bodies: { 200: SignIn } },
  errors: [404, 503],
  needs: {},

  handle: () =>
    discoverSignIn({
      issuer: requireEnv('OIDC_ISSUER'),
      audience: requireEnv('OIDC_AUDIENCE'),
      clientId: process.env.CONSOLE_CLIENT_ID,
    }),
});

export const handler = toLambda(getSignIn);
