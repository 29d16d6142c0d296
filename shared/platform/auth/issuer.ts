import type { JWTPayload } from 'jose';
import * as z from 'zod';
import { forwardClock } from '../../core/cache.ts';
import { createLimitedFetch } from '../../core/limited-fetch.ts';

/** The token is not trusted. `isFinal` refusals never change. */
export class UntrustedToken extends Error {
  readonly isFinal: boolean;

  constructor(reason: string, isFinal: boolean) {
    super(reason);
    this.isFinal = isFinal;
  }
}

/** The algorithms that sign with a private key. */
const algorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];
/** Tolerance for an issuer's clock that runs ahead. Applies to `nbf` only: an expired token is always refused. */
const toleranceSeconds = 5;
/** Limits JWKS refetches for unknown key ids (D102). */
const keysCooldownMs = 30_000;

/** Verifies the tokens of one OIDC issuer for one audience against its published keys. */
export function createIssuerVerifier(issuer: string, audience: string) {
  let verifier: ReturnType<typeof makeVerifier> | undefined;
  const fetchFromIssuer = createSpacedFetch();

  /** Fetches the keys with the first token, every ten minutes, and when a token has an unknown key id. */
  async function makeVerifier() {
    const { createRemoteJWKSet, customFetch, jwtVerify } = await import('jose');
    const { jwks_uri } = await discover(issuer, fetchFromIssuer);
    const keys = createRemoteJWKSet(new URL(jwks_uri), {
      cooldownDuration: keysCooldownMs,
      timeoutDuration: issuerTimeoutMs,
      [customFetch]: fetchFromIssuer,
    });
    const options = { issuer, algorithms, clockTolerance: toleranceSeconds, requiredClaims: ['exp', 'sub'] };
    return async (token: string) => {
      const looksAgain = !keys.coolingDown;
      try {
        return (await jwtVerify(token, keys, options)).payload;
      } catch (error) {
        throw isIssuersFault(error) ? error : toUntrustedToken(error, looksAgain);
      }
    };
  }

  /** @throws UntrustedToken, or the error of the request to the issuer. */
  return async function verify(token: string): Promise<JWTPayload & { exp: number }> {
    verifier ??= makeVerifier().catch((error) => {
      verifier = undefined;
      throw error;
    });
    const payload = await (await verifier)(token);
    const { exp = 0, aud, client_id } = payload;
    if (exp <= Date.now() / 1000) throw new UntrustedToken('The token has expired', true);
    // Cognito's access tokens have `client_id` in place of `aud`.
    if (![aud ?? client_id].flat().includes(audience)) throw new UntrustedToken('Another audience', true);
    return { ...payload, exp };
  };
}

interface JoseError {
  code?: string;
  claim?: string;
}

const isIssuersFault = (error: unknown) =>
  error instanceof IssuerUnavailable ||
  ['ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID', 'ERR_JOSE_GENERIC'].includes((error as JoseError).code ?? '');

function toUntrustedToken(error: unknown, lookedAgain: boolean): UntrustedToken {
  const { code, claim } = error as JoseError;
  const isEarly = code === 'ERR_JWT_CLAIM_VALIDATION_FAILED' && claim === 'nbf';
  // The issuer may have added the key since the last fetch.
  const isUnseen = code === 'ERR_JWKS_NO_MATCHING_KEY' && !lookedAgain;
  return new UntrustedToken(String(error), !isEarly && !isUnseen);
}

/** The issuer is unreachable. A token of it may still be valid. */
export class IssuerUnavailable extends Error {}

const issuerTimeoutMs = 5_000;
/** Limits retries to an issuer that does not respond. */
const retryMs = 5_000;

const Discovery = z.looseObject({ issuer: z.string(), jwks_uri: z.url() });
export type Discovery = z.infer<typeof Discovery>;

/** Reads the discovery document of an OIDC issuer. @throws IssuerUnavailable, or if the document is not its own. */
export async function discover(
  issuer: string,
  fetchFromIssuer: ReturnType<typeof createSpacedFetch>,
): Promise<Discovery> {
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const response = await fetchFromIssuer(address, { signal: AbortSignal.timeout(issuerTimeoutMs) });
  const sent = await response.json().catch((cause) => {
    throw new IssuerUnavailable(`${address} returns no JSON: ${cause}`, { cause });
  });
  const document = Discovery.parse(sent);
  if (document.issuer !== issuer)
    throw new Error(`The issuer ${issuer} publishes another issuer name: ${document.issuer}`);
  return document;
}

/** Discovery documents and key sets have a few KB. */
const fetchSmall = createLimitedFetch(1_000_000);

/** A fetch that waits between two requests to the same address, whether they succeed or fail. */
export function createSpacedFetch() {
  const askedAt = new Map<string, number>();
  const now = forwardClock();
  return async (url: string, init: RequestInit): Promise<Response> => {
    if (now() < (askedAt.get(url) ?? 0) + retryMs)
      throw new IssuerUnavailable(`${url} was requested moments ago; try again later`);
    askedAt.set(url, now());
    try {
      const response = await fetchSmall(url, init);
      if (response.status !== 200) throw new Error(`Status ${response.status}`);
      return response;
    } catch (cause) {
      throw new IssuerUnavailable(`${url} is unreachable`, { cause });
    }
  };
}
