import { challengedCredential } from '../../shared/platform/auth/optional-credential.ts';

/** So that a 401 has the form of the binding. */
export const keyOrUser = challengedCredential({ accepts: ['surface-key'], challengeOf: () => 'Bearer' });
