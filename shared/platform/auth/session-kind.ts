import { log } from '../../core/log.ts';
import { sessionRateLimitEntity } from './api-key.ts';
import { type CredentialKind, TemporaryRefusal } from './credential-kind.ts';

/** A user interface sends many concurrent requests, so sessions have higher limits. */
const limitFactor = 10;

/** Tokens of the OIDC issuer. The service trusts the claims of a token until it expires. */
export const sessionKind: CredentialKind = {
  recognises: (token) => token.split('.').length === 3,

  async findCaller(token) {
    // Loaded on demand: only the authorizer verifies tokens.
    const [{ verifySessionToken }, { UntrustedToken }] = await Promise.all([
      import('./session.ts'),
      import('./issuer.ts'),
    ]);
    try {
      return await verifySessionToken(token);
    } catch (error) {
      if (!(error instanceof UntrustedToken)) throw error;
      log.info('A session token was rejected', { reason: error.message });
      if (!error.isFinal) throw new TemporaryRefusal();
      return undefined;
    }
  },

  getRateLimitCounter: ({ userId }, { perHour = 0, perDay }) => ({
    entity: sessionRateLimitEntity,
    key: { userId },
    alive: undefined,
    isAlive: () => true,
    perHour: perHour * limitFactor,
    perDay: perDay * limitFactor,
  }),

  listPermissions: ({ permissions }) => permissions,
  findRefusal: () => undefined,
};
