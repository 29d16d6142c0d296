import type { APIGatewayProxyEvent } from 'aws-lambda';
import { hasCode, ServiceError } from '../../core/errors/errors.ts';
import { toNetwork } from './addresses.ts';
import type { SpecialCredential } from './credential-kind.ts';
import { credentialCall } from './optional-credential.ts';
import type { ChallengedCredential } from './public-scope.ts';
import { defaultLimits } from './rate-limit-windows.ts';
import { type admitAddress, admitAnonymous, type RequestAdmission } from './request-gate.ts';

interface Challenge {
  accepts: readonly SpecialCredential[];
  /** The header WWW-Authenticate of a 401. */
  challengeOf: (event: APIGatewayProxyEvent) => string;
}

/** As many as a key has: clients that many people share an address of begin with a request without a credential. */
const countChallenge: typeof admitAddress = (scope, sourceIp) =>
  admitAnonymous(scope, `Challenge ${toNetwork(sourceIp)}`, defaultLimits());

/** No authorizer: API Gateway's 401 is the same for all routes and cannot say how to get a credential. */
export const challengedCredential = ({ accepts, challengeOf }: Challenge): ChallengedCredential => ({
  kind: 'challenged-credential',
  uses: ['rate-limits', 'credentials'],
  async callOf(event, runtime) {
    const challenged = (error: ServiceError) =>
      hasCode(error, 'UNAUTHENTICATED')
        ? new ServiceError('UNAUTHENTICATED', error.message, { challenge: challengeOf(event) })
        : error;
    const rules = { permission: 'authenticated', accepts } as const;
    const call = await credentialCall(event, runtime, rules, countChallenge);
    const admission = call.admission.then(
      ({ refusal, ...rest }): RequestAdmission => ({ ...rest, refusal: refusal && challenged(refusal) }),
    );
    return { ...call, admission };
  },
});
