/**
 * Resolves the caller of a request from its Authorization header, and holds the access modes of endpoints that have no
 * authorizer of API Gateway.
 * An endpoint names one of the modes: `optionalCredential` (anonymous requests are counted for their address),
 * `challengedCredential` and `verifiedCredential` (a 401 of the endpoint's own form), `signatureOrCredential`
 * (webhooks).
 * Each mode first counts the request against a limit and then decides; what applies at once (revoked keys, permissions)
 * is left to `request-limiter.ts`. A request without a valid credential gets the same 401 whatever exists. Callers are
 * cached for a minute, as API Gateway caches the result of its authorizer; a header that is present twice is never
 * cached.
 * `functions/authorizer.ts` calls `identifyCaller`; the kinds of credentials are in `credential-kind.ts`.
 */
import { createHash } from 'node:crypto';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { createLoadingCache } from '../../core/cache.ts';
import { hasCode, ServiceError, unauthenticated } from '../../core/errors/errors.ts';
import type { Use } from '../aws/uses.ts';
import type { Scope } from '../data/scope.ts';
import type { Runtime } from '../runtime.ts';
import { toNetwork } from './addresses.ts';
import {
  type AccessRules,
  type Caller,
  credentialKind,
  type SpecialCredential,
  TemporaryRefusal,
} from './credential-kind.ts';
import type {
  ChallengedCredential,
  OptionalCredential,
  PublicCall,
  SignatureOrCredential,
  VerifiedCredential,
} from './public-scope.ts';
import type { RequestLimits } from './rate-limit-windows.ts';
import {
  admit,
  admitAddress,
  admitAnonymous,
  countChallenge,
  type RequestAdmission,
} from './request-limiter.ts';

const tokenBytesMax = 8_192;

/** The parts of a request that identify its caller. API Gateway omits headers that were not sent. */
export type RequestHeaders = {
  [Name in 'headers' | 'multiValueHeaders']?: APIGatewayProxyEvent[Name] | null;
};
/** Whether a request has an Authorization header, valid or not. */
export const hasCredential = (request: RequestHeaders) => readAuthorizations(request).length > 0;

/** The caller that the credential identifies, or `undefined` if it is permanently invalid. @throws TemporaryRefusal */
export async function identifyCaller(request: RequestHeaders): Promise<Caller | undefined> {
  const token = readBearerToken(request);
  return credentialKind(token)?.findCaller(token);
}

function readBearerToken(request: RequestHeaders): string {
  const [header = '', ...others] = readAuthorizations(request);
  // API Gateway caches the result under one of the headers, which may be valid on its own.
  if (others.length > 0) throw new TemporaryRefusal();
  const token = /^bearer +(\S+) *$/i.exec(header)?.[1] ?? '';
  return token.length > tokenBytesMax ? '' : token;
}

/** The values of a request's Authorization headers. */
function readAuthorizations({ headers, multiValueHeaders }: RequestHeaders): string[] {
  const pickAuthorizations = <Value>(of: Record<string, Value> | null | undefined) =>
    Object.entries(of ?? {}).flatMap(([name, value]) =>
      name.toLowerCase() === 'authorization' ? [value] : [],
    );
  const all = pickAuthorizations(multiValueHeaders).flatMap((values) => values ?? []);
  return all.length > 0 ? all : pickAuthorizations(headers).flatMap((value) => value ?? []);
}

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
async function resolveCredentialCall(
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

/** No authorizer: API Gateway's 401 is the same for all routes, and the protocol of the endpoint has a form of errors of its own (D193). */
export const verifiedCredential: VerifiedCredential = {
  uses: ['rate-limits', 'credentials'],
  resolveCall: (event, runtime, rules) => resolveCredentialCall(event, runtime, rules, countChallenge),
};

interface Signatures {
  uses: readonly Use[];
  /** Whether the request claims to be signed. Must not depend on what exists. */
  isSigned: (event: APIGatewayProxyEvent) => boolean;
  /** The scope of the tenant whose secret has signed the request; undefined for all others, whatever the reason. */
  signerOf: (event: APIGatewayProxyEvent, runtime: Runtime) => Promise<Scope | undefined>;
  /** What signed requests are counted for, in addition to their network. Must not depend on what exists. */
  countedFor: (event: APIGatewayProxyEvent) => string;
  limits: RequestLimits;
  accepts: readonly SpecialCredential[];
}

/** The same whatever is wrong. */
const notSigned = 'The signature is not valid here, or its time is too far from now';

/**
 * Requests without a valid signature or credential get a 401 that does not depend on what exists. The endpoint has no
 * authorizer, because API Gateway rejects requests that lack the authorizer's identity header.
 */
export const signatureOrCredential = ({
  uses,
  accepts,
  ...signatures
}: Signatures): SignatureOrCredential => ({
  kind: 'signature-or-credential',
  uses: ['rate-limits', 'credentials', ...uses],
  async resolveCall(event, runtime) {
    const resolveCredential = () =>
      resolveCredentialCall(event, runtime, { permission: 'authenticated', accepts });
    if (!signatures.isSigned(event)) return resolveCredential();
    const network = toNetwork(event.requestContext.identity?.sourceIp ?? null);
    const counted = `${signatures.countedFor(event)} ${network}`;
    // Before the signature is checked, which costs time and reads.
    const admission = await admitAnonymous(runtime.scopeOf(''), counted, signatures.limits);
    if (admission.refusal) return { admission: Promise.resolve(admission) };
    const scope = await signatures.signerOf(event, runtime);
    if (scope) return { scope, admission: Promise.resolve(admission) };
    if (hasCredential(event)) return resolveCredential();
    return { admission: Promise.resolve({ ...admission, refusal: unauthenticated(notSigned) }) };
  },
});
