import { type MethodDeploymentOptions, MethodLoggingLevel } from 'aws-cdk-lib/aws-apigateway';
import type { Route } from '../../routes.ts';

/** The share of the stage's throttle that each public route gets: callers without a credential cost too. */
const publicShare = 0.1;

/** The keys are paths and methods of the stage. */
export const publicThrottles = (
  routes: readonly Route[],
  requestsPerSecond: number,
): Record<string, MethodDeploymentOptions> =>
  Object.fromEntries(
    routes
      .filter(({ isPublic, verifiesCredential }) => isPublic && !verifiesCredential)
      .map(({ path, method }) => [
        `${path}/${method}`,
        {
          throttlingRateLimit: requestsPerSecond * publicShare,
          throttlingBurstLimit: requestsPerSecond * publicShare * 2,
          loggingLevel: MethodLoggingLevel.ERROR,
          metricsEnabled: false,
        },
      ]),
  );
