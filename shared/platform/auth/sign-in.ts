import * as z from 'zod';
import { notFound, unavailable } from '../../core/errors/errors.ts';
import { createSpacedFetch, discover, IssuerUnavailable } from './issuer.ts';

const wantedScopes = ['openid', 'email', 'profile'];

/** The members of a discovery document that sign-in needs. Session tokens need none of them. */
const Endpoints = z.object({
  authorization_endpoint: z.url().nullish(),
  token_endpoint: z.url().nullish(),
  end_session_endpoint: z.url().nullish(),
  scopes_supported: z.array(z.string()).optional(),
});

interface SignInClient {
  issuer: string;
  audience: string;
  /** The public OAuth client of the console. */
  clientId: string | undefined;
}

/** @throws ServiceError: 404 if the deployment signs nobody in, 503 if the issuer does not respond. */
export async function discoverSignIn({ issuer, audience, clientId }: SignInClient) {
  if (!clientId) throw createNotConfigured('This deployment has no OAuth client for the console');
  const endpoints = await loadEndpoints(issuer);
  const { authorization_endpoint, token_endpoint, end_session_endpoint, scopes_supported } = endpoints;
  if (!authorization_endpoint || !token_endpoint)
    throw createNotConfigured(`The issuer ${issuer} publishes no endpoints for a sign-in on a page`);
  return {
    issuer,
    clientId,
    authorizationEndpoint: authorization_endpoint,
    tokenEndpoint: token_endpoint,
    endSessionEndpoint: end_session_endpoint ?? null,
    scopes: wantedScopes.filter((scope) => scopes_supported?.includes(scope) ?? true),
    audience: audience === clientId ? null : audience,
  };
}

const fetchFromIssuer = createSpacedFetch();
const endpointsByIssuer = new Map<string, Promise<z.infer<typeof Endpoints>>>();

/** Reads the discovery document of an issuer until it has it. */
function loadEndpoints(issuer: string) {
  const endpoints = endpointsByIssuer.get(issuer) ?? readEndpoints(issuer);
  endpointsByIssuer.set(issuer, endpoints);
  endpoints.catch(() => endpointsByIssuer.delete(issuer));
  return endpoints;
}

async function readEndpoints(issuer: string) {
  try {
    return Endpoints.parse(await discover(issuer, fetchFromIssuer));
  } catch (error) {
    if (!(error instanceof IssuerUnavailable)) throw error;
    throw unavailable(`The issuer ${issuer} does not respond. Try again later`);
  }
}

const createNotConfigured = (why: string) =>
  notFound('Sign-in', [
    { code: 'NOT_CONFIGURED', message: `${why}. Use a session token of the issuer, or an API key` },
  ]);
