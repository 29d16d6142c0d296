import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { callerOf } from '../shared/platform/auth/credential.ts';
import { requirementsOf } from '../shared/platform/aws/uses.ts';
import { toContext } from '../shared/platform/identity/principal.ts';

export const requirements = requirementsOf('credentials');

/**
 * The Lambda authorizer: from the Authorization header to a principal. API Gateway keeps the answer for 60 s,
 * so nothing that must bite at once is decided here (see the meter). A refusal is a policy too, which API Gateway keeps,
 * so that a credential which never will be good does not cost us a Lambda each time. One that may be good in a moment
 * is refused by throwing, which is not kept.
 */
export async function handler(event: APIGatewayRequestAuthorizerEvent): Promise<APIGatewayAuthorizerResult> {
  const principal = await callerOf(event);
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

/** The answer is kept per credential, so it must hold for every route: `arn:…:api/stage/*`. */
const anyRoute = (methodArn: string) => methodArn.split('/').slice(0, 2).concat('*').join('/');
