import * as z from 'zod';
import { clientTokenStore } from '../../shared/domain/client-tokens/client-token-store.ts';
import { findTokenWarnings } from '../../shared/domain/client-tokens/origins.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { assertMayGrant } from './may-grant.ts';
import { ClientTokenResponse, TokenWarnings, toTokenResponse } from './response-schemas.ts';
import { CreateClientTokenBody } from './schemas.ts';

export const createClientToken = defineEndpoint({
  id: 'client-tokens.create',
  method: 'POST',
  path: '/v1/client-tokens',
  permission: 'CLIENT_TOKENS:WRITE',
  summary: 'Create a client token',
  description:
    'Lets web pages run flows and agents. The token is public: pages contain it, and `allowedOrigins` and the limits protect it. Also requires `FLOWS:EXECUTE`, `AGENTS:EXECUTE` and `PRODUCTS:EXECUTE` for the flows, the agents and the surface that it names. 404 if one of them does not exist; 409 if the tenant has 200 client tokens. `warnings` names what is likely a mistake.',
  body: CreateClientTokenBody,
  response: {
    kind: 'json',
    bodies: {
      201: z.object({ clientToken: ClientTokenResponse, token: z.string(), warnings: TokenWarnings }),
    },
  },
  errors: [400, 404, 409],
  needs: { tokens: clientTokenStore },

  async handle({ body: { productSurfaceId, defaultFlowId = null, ...draft }, principal }, { tokens }) {
    assertMayGrant(principal, { ...draft, surface: productSurfaceId });
    const token = await tokens.create(principal, { ...draft, defaultFlowId, surfaceId: productSurfaceId });
    return { clientToken: toTokenResponse(token), token: token.value, warnings: findTokenWarnings(token) };
  },
});

export const handler = toLambda(createClientToken);
