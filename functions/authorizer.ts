import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { measure, runInvocation } from '../shared/core/invocation.ts';
import { TemporaryRefusal } from '../shared/platform/auth/credential-kind.ts';
import { identifyCaller } from '../shared/platform/auth/optional-credential.ts';
import { combineRequirements } from '../shared/platform/aws/uses.ts';
import { toContext } from '../shared/platform/identity/principal.ts';

export const requirements = combineRequirements('credentials');

/**
 * The Lambda authorizer: maps the Authorization header to a principal. API Gateway caches the result for 60 s, so
 * checks that must apply at once belong to the request gate. A permanent refusal is returned as a policy: API Gateway
 * caches it, which saves a Lambda call for each further request with that credential. A temporary refusal is thrown,
 * because API Gateway does not cache errors (D101).
 */
export const handler = (event: APIGatewayRequestAuthorizerEvent): Promise<APIGatewayAuthorizerResult> =>
  runInvocation({ lambda: 'authorizer', requestId: event.requestContext?.requestId }, () => decide(event));

async function decide(event: APIGatewayRequestAuthorizerEvent): Promise<APIGatewayAuthorizerResult> {
  const principal = await identifyCaller(event).catch((error) => {
    if (error instanceof TemporaryRefusal) measure('TemporaryRefusals');
    throw error;
  });
  const Effect = principal ? 'Allow' : 'Deny';
  return {
    principalId: principal?.userId ?? 'nobody',
    policyDocument: {
      Version: '2012-10-17',
      Statement: [{ Action: 'execute-api:Invoke', Effect, Resource: anyRoute(event.methodArn) }],
    },
    ...(principal && { context: toContext(principal) }),
  };
}

/** Cached per credential, so the policy must cover every route: `arn:…:api/stage/*`. */
const anyRoute = (methodArn: string) => methodArn.split('/').slice(0, 2).concat('*').join('/');
