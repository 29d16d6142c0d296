import { log } from '../../core/log.ts';
import { sessionRateLimitEntity } from './api-key.ts';
import { type CredentialKind, TemporaryRefusal } from './credential-kind.ts';

/** Sessions belong to people at a screen, who open many requests at once. */
const limitFactor = 10;

/** A token of the OIDC issuer, which vouches for all that it says until it expires. */
export const sessionKind: CredentialKind = {
  recognises: (token) => token.split('.').length === 3,

  async callerOf(token) {
    // Only the authorizer reads tokens: no other Lambda has to load what verifies them.
    const [{ principalOfSession }, { UntrustedToken }] = await Promise.all([
      import('./session.ts'),
      import('./issuer.ts'),
    ]);
    try {
      return await principalOfSession(token);
    } catch (error) {
      if (!(error instanceof UntrustedToken)) throw error;
      log.info('A session token was refused', { reason: error.message });
      if (!error.forGood) throw new TemporaryRefusal();
      return undefined;
    }
  },

  rateLimitCounterOf: ({ userId }, { perHour, perDay }) => ({
    entity: sessionRateLimitEntity,
    key: { userId },
    alive: undefined,
    isAlive: () => true,
    perHour: perHour * limitFactor,
    perDay: perDay * limitFactor,
  }),

  permissionsOf: ({ permissions }) => permissions,
  refusalOf: () => undefined,
};
