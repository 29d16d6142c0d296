import type { APIGatewayProxyEvent } from 'aws-lambda';
import { unauthenticated } from '../../core/errors.ts';
import type { Runtime } from '../runtime.ts';
import { callerOf, hasCredential } from './credential.ts';
import { type AccessRules, TemporaryRefusal } from './credential-kind.ts';
import type { Call, OptionalCredential } from './public-scope.ts';
import { admit, admitAddress } from './request-gate.ts';

/**
 * Admits callers with and without a credential; the latter are limited per network. The endpoint has no authorizer,
 * because API Gateway rejects requests that lack the authorizer's identity header.
 * @throws ServiceError UNAUTHENTICATED for an invalid credential.
 */
export const optionalCredential: OptionalCredential = {
  kind: 'optional-credential',
  callOf,
  uses: ['rate-limits', 'credentials'],
};

async function callOf(event: APIGatewayProxyEvent, runtime: Runtime): Promise<Call> {
  const sourceIp = event.requestContext.identity?.sourceIp ?? null;
  if (!hasCredential(event)) return { admission: admitAddress(runtime.scopeOf(''), sourceIp) };
  return credentialCall(event, runtime, { permission: 'public' });
}

/** Verifies the credential of a request without an authorizer. @throws ServiceError UNAUTHENTICATED */
export async function credentialCall(
  event: APIGatewayProxyEvent,
  runtime: Runtime,
  rules: AccessRules,
): Promise<Call> {
  const sourceIp = event.requestContext.identity?.sourceIp ?? null;
  const caller = await callerOf(event).catch((error) => {
    if (error instanceof TemporaryRefusal) return undefined;
    throw error;
  });
  if (!caller) throw unauthenticated();
  const principal = { ...caller, sourceIp };
  const scope = runtime.scopeOf(caller.tenant);
  return { principal, scope, admission: admit(scope, principal, rules) };
}
