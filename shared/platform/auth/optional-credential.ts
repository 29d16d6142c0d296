import type { APIGatewayProxyEvent } from 'aws-lambda';
import { unauthenticated } from '../../core/errors.ts';
import type { Runtime } from '../runtime.ts';
import { callerOf, hasCredential } from './credential.ts';
import { TemporaryRefusal } from './credential-kind.ts';
import type { Call, OptionalCredential } from './public-scope.ts';
import { admit, admitAddress } from './request-gate.ts';

/**
 * Admits callers with a credential and callers without one, who are limited per address. For endpoints without the
 * authorizer, since API Gateway refuses requests that lack the header which identifies them to it.
 * @throws ServiceError UNAUTHENTICATED where a credential was sent that is not good.
 */
export const optionalCredential: OptionalCredential = {
  kind: 'optional-credential',
  callOf,
  uses: ['rate-limits', 'credentials'],
};

async function callOf(event: APIGatewayProxyEvent, runtime: Runtime): Promise<Call> {
  const sourceIp = event.requestContext.identity?.sourceIp ?? null;
  if (!hasCredential(event)) return { admission: admitAddress(runtime.scopeOf(''), sourceIp) };
  const caller = await callerOf(event).catch((error) => {
    if (error instanceof TemporaryRefusal) return undefined;
    throw error;
  });
  if (!caller) throw unauthenticated();
  const principal = { ...caller, sourceIp };
  const scope = runtime.scopeOf(caller.tenant);
  return { principal, scope, admission: admit(scope, principal, { permission: 'public' }) };
}
