import { resolveCredentialCall } from './optional-credential.ts';
import type { VerifiedCredential } from './public-scope.ts';
import { countChallenge } from './request-gate.ts';

/** No authorizer: API Gateway's 401 is the same for all routes, and the protocol of the endpoint has a form of errors of its own (D193). */
export const verifiedCredential: VerifiedCredential = {
  uses: ['rate-limits', 'credentials'],
  resolveCall: (event, runtime, rules) => resolveCredentialCall(event, runtime, rules, countChallenge),
};
