import type { APIGatewayProxyEvent } from 'aws-lambda';
import { hasCode, ServiceError } from '../../core/errors/errors.ts';
import type { SpecialCredential } from './credential-kind.ts';
import { resolveCredentialCall } from './optional-credential.ts';
import type { ChallengedCredential } from './public-scope.ts';
import { countChallenge, type RequestAdmission } from './request-gate.ts';

interface Challenge {
  accepts: readonly SpecialCredential[];
  /** The header WWW-Authenticate of a 401. */
  challengeOf: (event: APIGatewayProxyEvent) => string;
}

/** No authorizer: API Gateway's 401 is the same for all routes and cannot say how to get a credential. */
export const challengedCredential = ({ accepts, challengeOf }: Challenge): ChallengedCredential => ({
  kind: 'challenged-credential',
  uses: ['rate-limits', 'credentials'],
  async resolveCall(event, runtime) {
    const addChallenge = (error: ServiceError) =>
      hasCode(error, 'UNAUTHENTICATED')
        ? new ServiceError('UNAUTHENTICATED', error.message, { challenge: challengeOf(event) })
        : error;
    const rules = { permission: 'authenticated', accepts } as const;
    const call = await resolveCredentialCall(event, runtime, rules, countChallenge);
    const admission = call.admission.then(
      ({ refusal, ...rest }): RequestAdmission => ({ ...rest, refusal: refusal && addChallenge(refusal) }),
    );
    return { ...call, admission };
  },
});
