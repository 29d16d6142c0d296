import * as z from 'zod';
import { forwardClock } from '../../core/cache.ts';
import { createLimitedFetch } from '../../core/limited-fetch.ts';

/** The issuer is unreachable. A token of it may still be valid. */
export class IssuerUnavailable extends Error {}

export const issuerTimeoutMs = 5_000;
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
