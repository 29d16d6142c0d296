import { createHash } from 'node:crypto';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { createLoadingCache } from '../../core/cache.ts';
import { unauthenticated } from '../../core/errors/errors.ts';
import type { Runtime } from '../runtime.ts';
import { hasCredential, identifyCaller, readAuthorizations } from './credential.ts';
import { type AccessRules, type Caller, TemporaryRefusal } from './credential-kind.ts';
import type { OptionalCredential, PublicCall } from './public-scope.ts';
import { admit, admitAddress } from './request-gate.ts';

/** No authorizer: API Gateway rejects requests without its identity header. An invalid credential is refused. */
export const optionalCredential: OptionalCredential = {
  kind: 'optional-credential',
  resolveCall,
  uses: ['rate-limits', 'credentials'],
};

async function resolveCall(event: APIGatewayProxyEvent, runtime: Runtime): Promise<PublicCall> {
  const sourceIp = event.requestContext.identity?.sourceIp ?? null;
  if (!hasCredential(event)) return { admission: admitAddress(runtime.scopeOf(''), sourceIp) };
  return resolveCredentialCall(event, runtime, { permission: 'public' });
}

/** As API Gateway keeps the result of an authorizer. What must apply at once belongs to the request gate. */
const recentCallers = createLoadingCache<Caller | undefined>({ entriesMax: 10_000, ttlMs: 60_000 });

function findRecentCaller(event: APIGatewayProxyEvent): Promise<Caller | undefined> {
  const sent = readAuthorizations(event).join('\n');
  return recentCallers(createHash('sha256').update(sent).digest('base64'), () => identifyCaller(event));
}

/** @param countUnknown Counts a request without a valid credential, which is refused. Default: for its address. */
export async function resolveCredentialCall(
  event: APIGatewayProxyEvent,
  runtime: Runtime,
  rules: AccessRules,
  countUnknown = admitAddress,
): Promise<PublicCall> {
  const sourceIp = event.requestContext.identity?.sourceIp ?? null;
  const caller = await findRecentCaller(event).catch((error) => {
    if (error instanceof TemporaryRefusal) return undefined;
    throw error;
  });
  if (!caller) {
    const admission = await countUnknown(runtime.scopeOf(''), sourceIp);
    return { admission: Promise.resolve({ ...admission, refusal: admission.refusal ?? unauthenticated() }) };
  }
  const principal = { ...caller, sourceIp };
  const scope = runtime.scopeOf(caller.tenant);
  return { principal, scope, admission: admit(scope, principal, rules) };
}
