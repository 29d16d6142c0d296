import type { APIGatewayProxyEvent } from 'aws-lambda';
import { unauthorized } from '../../core/errors.ts';
import { using } from '../aws/uses.ts';
import type { Principal } from '../identity/principal.ts';
import type { Runtime } from '../runtime.ts';
import { callerOf, hasCredential } from './credential.ts';
import { RefusedForNow } from './credential-kind.ts';
import { type Admission, admit, admitAnonymous } from './request-gate.ts';

/** Who calls, and whether they may. Without a credential there is no principal. */
export interface Call {
  principal?: Principal;
  admission: Promise<Admission>;
}

/**
 * Admits callers with a credential and callers without one. For endpoints without the authorizer, since API Gateway
 * refuses requests that lack the header which identifies them to it.
 * @throws 401 where a credential was sent that is not good.
 */
export const optionalCredential = /* @__PURE__ */ using(
  ['rate-limits', 'credentials'],
  async (event: APIGatewayProxyEvent, runtime: Runtime): Promise<Call> => {
    const sourceIp = event.requestContext.identity?.sourceIp ?? null;
    if (!hasCredential(event)) return { admission: admitAnonymous(runtime.scopeOf(''), sourceIp) };
    const caller = await callerOf(event).catch((error) => {
      if (error instanceof RefusedForNow) return undefined;
      throw error;
    });
    if (!caller) throw unauthorized();
    const principal = { ...caller, sourceIp };
    return {
      principal,
      admission: admit(runtime.scopeOf(caller.tenant), principal, { permission: 'public' }),
    };
  },
);
