import type { JWTPayload } from 'jose';
import * as z from 'zod';
import { limitedFetch } from '../../core/limited-fetch.ts';

/** The issuer could not be asked. Says nothing about the token. */
export class IssuerUnavailable extends Error {}

/** The token is not one that we trust. Once refused for good, it never will be. */
export class UntrustedToken extends Error {
  readonly forGood: boolean;

  constructor(reason: string, forGood: boolean) {
    super(reason);
    this.forGood = forGood;
  }
}

/** What an issuer signs with a key that only it has. */
const algorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
/** An issuer's clock may be ahead of ours: of `nbf` only, since a token that is over is over. */
const toleranceSeconds = 5;
const timeoutMs = 5_000;
/** Whoever sends tokens signed by keys that nobody has makes us look once in this time. */
const keysCooldownMs = 30_000;
/** The same for an issuer that does not answer. */
const retryMs = 5_000;

const Discovery = z.object({ issuer: z.string(), jwks_uri: z.url() });

/** Verifies tokens of one OIDC issuer for one audience by the keys that it publishes. */
export function issuerOf(issuer: string, audience: string) {
  let verifier: ReturnType<typeof makeVerifier> | undefined;
  const fetchFromIssuer = sparingFetch();

  /** The keys are fetched with the first token, every ten minutes, and when an unknown key signs. */
  async function makeVerifier() {
    const { createRemoteJWKSet, customFetch, jwtVerify } = await import('jose');
    const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const discovery = await fetchFromIssuer(address, { signal: AbortSignal.timeout(timeoutMs) });
    const { issuer: named, jwks_uri } = Discovery.parse(await discovery.json());
    if (named !== issuer) throw new Error(`The issuer ${issuer} calls itself ${named}`);
    const keys = createRemoteJWKSet(new URL(jwks_uri), {
      cooldownDuration: keysCooldownMs,
      timeoutDuration: timeoutMs,
      [customFetch]: fetchFromIssuer,
    });
    const options = { issuer, algorithms, clockTolerance: toleranceSeconds, requiredClaims: ['exp', 'sub'] };
    return async (token: string) => {
      const looksAgain = !keys.coolingDown;
      try {
        return (await jwtVerify(token, keys, options)).payload;
      } catch (error) {
        throw isIssuersFault(error) ? error : untrusted(error, looksAgain);
      }
    };
  }

  /** @throws UntrustedToken, or whatever kept the issuer from being asked. */
  return async function verify(token: string): Promise<JWTPayload & { exp: number }> {
    verifier ??= makeVerifier().catch((error) => {
      verifier = undefined;
      throw error;
    });
    const payload = await (await verifier)(token);
    const { exp = 0, aud, client_id } = payload;
    if (exp <= Date.now() / 1000) throw new UntrustedToken('The token is over', true);
    // Cognito's access tokens have no `aud`, and name the client instead.
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

function untrusted(error: unknown, lookedAgain: boolean): UntrustedToken {
  const { code, claim } = error as JoseError;
  const isEarly = code === 'ERR_JWT_CLAIM_VALIDATION_FAILED' && claim === 'nbf';
  // The issuer may have begun to use the key since we last looked.
  const isUnseen = code === 'ERR_JWKS_NO_MATCHING_KEY' && !lookedAgain;
  return new UntrustedToken(String(error), !isEarly && !isUnseen);
}

/** Discovery and key sets have some KB. */
const fetchSmall = limitedFetch(1_000_000);

/** A fetch that leaves an address alone for a while after each attempt, whatever came of it. */
function sparingFetch() {
  const askedAt = new Map<string, number>();
  return async (url: string, init: RequestInit): Promise<Response> => {
    if (Date.now() < (askedAt.get(url) ?? 0) + retryMs) throw new IssuerUnavailable(`${url} was just asked`);
    askedAt.set(url, Date.now());
    try {
      const response = await fetchSmall(url, init);
      if (response.status !== 200) throw new Error(`Status ${response.status}`);
      return response;
    } catch (cause) {
      throw new IssuerUnavailable(`${url} could not be asked`, { cause });
    }
  };
}
