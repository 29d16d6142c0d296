import { createHash, randomBytes } from 'node:crypto';
import type { Claims } from '../runtime/session-tokens.ts';

/** What the console sent with its authorization request, and who signed in. */
interface Granted {
  session: Claims;
  redirectUri: string;
  codeChallenge: string;
}

const lifeMs = 60_000;

/** The authorization codes that are not exchanged yet. A code is valid once, for a minute (RFC 6749, 4.1.2). */
export function createCodes(now: () => number = Date.now) {
  const codes = new Map<string, Granted & { until: number }>();
  return {
    grant(granted: Granted): string {
      for (const [code, { until }] of codes) if (until <= now()) codes.delete(code);
      const code = randomBytes(32).toString('base64url');
      codes.set(code, { ...granted, until: now() + lifeMs });
      return code;
    },
    /** @returns undefined if the code is not valid, or was not granted to the sender (PKCE, RFC 7636). */
    redeem(code: string, redirectUri: string, codeVerifier: string): Claims | undefined {
      const granted = codes.get(code);
      codes.delete(code);
      if (!granted || granted.until <= now()) return undefined;
      const challenge = createHash('sha256').update(codeVerifier).digest('base64url');
      return granted.redirectUri === redirectUri && granted.codeChallenge === challenge
        ? granted.session
        : undefined;
    },
  };
}
