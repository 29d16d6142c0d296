import type { APIGatewayProxyEvent } from 'aws-lambda';
import { hasCode, ServiceError } from '../../core/errors.ts';
import type { SpecialCredential } from './credential-kind.ts';
import { credentialCall } from './optional-credential.ts';
import type { ChallengedCredential } from './public-scope.ts';
import type { Admission } from './request-gate.ts';

interface Challenge {
  /** The special credentials that the endpoint takes beside those of users. */
  accepts: readonly SpecialCredential[];
  /** The header WWW-Authenticate of a 401. */
  challengeOf: (event: APIGatewayProxyEvent) => string;
}

/**
 * Admits requests with a credential. All others get a 401 that says how to get one. The endpoint has no authorizer,
 * because the 401 of API Gateway is the same for all routes.
 */
export const challengedCredential = ({ accepts, challengeOf }: Challenge): ChallengedCredential => ({
  kind: 'challenged-credential',
  uses: ['rate-limits', 'credentials'],
  async callOf(event, runtime) {
    const challenged = (error: unknown) =>
      hasCode(error, 'UNAUTHENTICATED')
        ? new ServiceError('UNAUTHENTICATED', error.message, { challenge: challengeOf(event) })
        : error;
    try {
      const call = await credentialCall(event, runtime, { permission: 'authenticated', accepts });
      const admission = call.admission.then(
        ({ refusal, ...rest }): Admission => ({
          ...rest,
          refusal: refusal && (challenged(refusal) as ServiceError),
        }),
      );
      return { ...call, admission };
    } catch (error) {
      throw challenged(error);
    }
  },
});
