/**
 * Admits the requests of chat visitors: finds their token or session, and with it the tenant and its scope.
 * Order: take the credential from the body or the header, look it up, count the request (for its network and token, or for
 * the address if the credential is unknown), then check that the token is active and allows the page's origin. A refusal
 * tells neither whether the token or its origins are the reason, nor whether a surface exists. Of requests that run
 * something, one network may use half of the token's limits.
 * The endpoints of `functions/client-chat` declare one of the exported kinds of scope; what it found is read back with
 * `tokenContext` or `sessionContext`. The session's token, conversation and target are read ahead in one request.
 */
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { forbidden, rateLimited, type ServiceError, unauthenticated } from '../../core/errors/errors.ts';
import { resourceId } from '../../core/ids.ts';
import { unixSeconds } from '../../core/time.ts';
import { agentEntity } from '../../domain/agents/config/agent.ts';
import type { chatTargets } from '../../domain/client-sessions/chat-targets.ts';
import {
  type ClientSession,
  findSession,
  isOpenedBy,
  type TokenContext,
} from '../../domain/client-sessions/client-session.ts';
import { sessionEnded } from '../../domain/client-sessions/turn-state.ts';
import { type ClientToken, clientTokenEntity } from '../../domain/client-tokens/client-token.ts';
import { findBySurface, findByValue } from '../../domain/client-tokens/client-token-store.ts';
import { originMatches } from '../../domain/client-tokens/origins.ts';
import { conversationEntity } from '../../domain/conversations/conversation.ts';
import { flowEntity } from '../../domain/flows/flow.ts';
import { modelDefaultsEntity, readAccountRevision } from '../../domain/model-configs/model-account.ts';
import { toNetwork } from '../../platform/auth/addresses.ts';
import { hashKey } from '../../platform/auth/key-format.ts';
import type { ScopeFrom } from '../../platform/auth/public-scope.ts';
import { pickTightestWindow, type RateLimit } from '../../platform/auth/rate-limit-windows.ts';
import { admitAddress, admitAnonymous, type RequestAdmission } from '../../platform/auth/request-limiter.ts';
import { using } from '../../platform/aws/uses.ts';
import { decodeReadable } from '../../platform/data/entity.ts';
import { preloadItems } from '../../platform/data/read-ahead.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { toSessionVisitor, toTenant } from '../../platform/identity/principal.ts';
import type { Runtime } from '../../platform/runtime.ts';

/** Requests of one network of visitors to one token that run nothing. */
const limits = { perMinute: 120, perHour: 2_000, perDay: 20_000 };
/** Those that run something. More than the share of any token (`visitorShare`), which is known later. */
const runLimits = { perMinute: 1_000, perHour: 10_000, perDay: 240_000 };

interface Request {
  /** The `Origin` header. */
  origin: string | null;
  /** The host that a page of the API itself asks; browsers send no `Origin` with its GET requests. */
  ownHost: string | undefined;
  runtime: Runtime;
  /** By network, and token or surface. Requests that run something have a counter of their own. */
  count: (hash: string, runs?: boolean) => Promise<RequestAdmission>;
  /** Counts a request with an unknown credential for its address. */
  countUnknown: () => Promise<RequestAdmission>;
}

type VisitorScope<V> = Scope & { visit: V };
type Found<V> =
  | { admission: RequestAdmission; scope?: undefined }
  | { admission: RequestAdmission; scope: Scope; visit: V };

type Find<V> = (credential: string, request: Request) => Promise<Found<V>>;

/** By the first of these members that the body has. The endpoint refuses a body that has not exactly one. */
const defineVisitorScope = <V>(
  finders: Readonly<Record<string, Find<V>>>,
  membersOf = membersOfBody,
): ScopeFrom => ({
  kind: 'from',
  uses: ['rate-limits', 'table:read'],
  async resolveCall(event, runtime) {
    const sourceIp = event.requestContext.identity?.sourceIp ?? null;
    const members = membersOf(event);
    const [credential] = Object.entries(finders).flatMap(([name, find]) => {
      const value = members[name];
      return isCredential(value) ? [{ value, find }] : [];
    });
    if (!credential) {
      const admission = await admitAddress(runtime.scopeOf(''), sourceIp);
      const refusal = membersOf === membersOfBody ? undefined : sessionEnded();
      return { admission: Promise.resolve({ ...admission, refusal: admission.refusal ?? refusal }) };
    }
    const count = (hash: string, runs = false) => {
      const counted = `${runs ? 'Visitor run' : 'Visitor'} ${hash} ${toNetwork(sourceIp)}`;
      return admitAnonymous(runtime.scopeOf(''), counted, runs ? runLimits : limits);
    };
    const { origin = null, host } = event.headers;
    // D81
    const ownHost = event.headers['sec-fetch-site'] === 'same-origin' ? host : undefined;
    const countUnknown = () => admitAddress(runtime.scopeOf(''), sourceIp);
    const request = { origin, ownHost, runtime, count, countUnknown };
    const found = await credential.find(credential.value, request);
    const admission = Promise.resolve(found.admission);
    if (!found.scope) return { admission };
    const scope: VisitorScope<V> = { ...found.scope, visit: found.visit };
    return { scope, admission, caller: `visitor ${hashKey(credential.value)}` };
  },
});

/** The body is parsed and checked later. */
function membersOfBody({ body, isBase64Encoded }: APIGatewayProxyEvent): Record<string, unknown> {
  try {
    const text = isBase64Encoded ? Buffer.from(body ?? '', 'base64').toString() : (body ?? '');
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

/** Requests without a body have the session as their credential. */
function membersOfHeader({ headers }: APIGatewayProxyEvent): Record<string, unknown> {
  const [, sessionId] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? [];
  return { sessionId };
}

const isCredential = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= 255;

const invalidToken = () => unauthenticated('The client token is unknown, or was regenerated or deleted');
/** Does not tell whether the token or the origin is the reason. */
const notHere = () => forbidden('The client token is not active on this page');
/** Does not tell whether the surface exists. */
const noToken = () => forbidden('The surface has no client token that is active on this page');

/** @returns what is wrong with using a token on a page. */
const findRefusal = (
  { isActive, allowedOrigins }: ClientToken,
  origin: string | null,
): ServiceError | undefined =>
  isActive && originMatches(allowedOrigins, origin ?? undefined) ? undefined : notHere();

const findTokenByValue: Find<TokenContext> = async (value, { origin, runtime, count, countUnknown }) => {
  const found = await findByValue(runtime.scopeOf('').table, value);
  const admission = await (found ? count(hashKey(value)) : countUnknown());
  if (admission.refusal) return { admission };
  const { tenant = '', tokenId: id = '' } = found ?? {};
  const scope = runtime.scopeOf(tenant);
  const token = found && (await scope.table.get(clientTokenEntity, { id }, { consistent: true }));
  if (token?.value !== value) return { admission: { ...admission, refusal: invalidToken() } };
  const refusal = findRefusal(token, origin);
  return refusal ? { admission: { ...admission, refusal } } : { admission, scope, visit: { token, origin } };
};

const SurfaceId = resourceId('surface');

const findTokenBySurface: Find<TokenContext> = async (
  surfaceId,
  { origin, runtime, count, countUnknown },
) => {
  // The body is checked later; a key of the table is not any text.
  const tokens = SurfaceId.safeParse(surfaceId).success ? await findBySurface(runtime, surfaceId) : [];
  const admission = await (tokens.length > 0 ? count(hashKey(surfaceId)) : countUnknown());
  if (admission.refusal) return { admission };
  const token = tokens.find((each) => !findRefusal(each, origin));
  if (!token) return { admission: { ...admission, refusal: noToken() } };
  return {
    admission,
    scope: runtime.scopeOf(toTenant(token.userId, token.organizationId)),
    visit: { token, origin },
  };
};

/** Admits pages that have a client token, or name a chat surface with a token that allows their origin. */
export const byToken = defineVisitorScope<TokenContext>({
  token: findTokenByValue,
  surfaceId: findTokenBySurface,
});

export const tokenContext = /* @__PURE__ */ using(
  [],
  (scope: Scope) => (scope as VisitorScope<TokenContext>).visit,
);

export interface SessionContext extends TokenContext {
  session: ClientSession;
  /** Of the tenant's models, for a message. */
  accountRevision?: number | undefined;
}

/** What a request does: nothing that costs, or run the target of its session, or continue a run. */
type Purpose = 'reads' | 'starts' | 'continues';

const findVisit =
  (purpose: Purpose): Find<SessionContext> =>
  async (sessionId, request) => {
    const { origin: pageOrigin, ownHost, runtime, count, countUnknown } = request;
    const session = await findSession(runtime.scopeOf('').table, sessionId, runtime.scopeOf('').now());
    if (!session) return { admission: addRefusal(await countUnknown(), sessionEnded()) };
    const origin = pageOrigin ?? resolveOrigin(session, ownHost);
    const runs = purpose !== 'reads';
    const [counted, { scope, token, accountRevision }] = await Promise.all([
      count(session.tokenHash, runs),
      readForSession(session, runtime, purpose === 'starts'),
    ]);
    const admission = runs && token ? limitToShare(counted, token, runtime.scopeOf('').now()) : counted;
    if (admission.refusal) return { admission };
    const refusal = token && findRefusal(token, origin);
    if (refusal) return { admission: addRefusal(admission, refusal) };
    if (!token || !isOpenedBy(session, { token, origin }))
      return { admission: addRefusal(admission, sessionEnded()) };
    return { admission, scope, visit: { token, origin, session, accountRevision } };
  };

const resolveOrigin = ({ origin }: ClientSession, host: string | undefined): string | null =>
  origin !== null && host !== undefined && URL.parse(origin)?.host === host ? origin : null;

const addRefusal = (admission: RequestAdmission, refusal: ServiceError): RequestAdmission => ({
  ...admission,
  refusal: admission.refusal ?? refusal,
});

/** Admits visitors who have a session. */
export const bySession = defineVisitorScope<SessionContext>({ sessionId: findVisit('reads') });

/** The same for a message. */
export const bySessionToAnswer = defineVisitorScope<SessionContext>({ sessionId: findVisit('starts') });

/** The same for what continues an answer. */
export const bySessionToContinue = defineVisitorScope<SessionContext>({ sessionId: findVisit('continues') });

/** The same for requests without a body. */
export const bySessionHeader = defineVisitorScope<SessionContext>(
  { sessionId: findVisit('reads') },
  membersOfHeader,
);

/** Counts a request that runs something for its token: only one that was found right. @throws 429 */
export const tokenMeter = /* @__PURE__ */ using(
  ['rate-limits'],
  (scope: Scope) =>
    async ({ token }: Pick<SessionContext, 'token'>): Promise<void> => {
      const { rateLimitPerMinute: perMinute, rateLimitPerHour: perHour } = token;
      const limits = { perMinute, perHour, perDay: 24 * perHour };
      const { refusal } = await admitAnonymous(scope, `Client token ${token.id}`, limits);
      if (refusal) throw refusal;
    },
);

export const sessionContext = /* @__PURE__ */ using(
  [],
  (scope: Scope) => (scope as VisitorScope<SessionContext>).visit,
);

export const sessionVisitor = ({ session }: Pick<SessionContext, 'session'>) => {
  const { userId, organizationId, hash } = session;
  return toSessionVisitor({ userId, organizationId }, hash);
};

type Targets = Pick<ReturnType<typeof chatTargets>, 'of'>;

/** @throws 401 if the token no longer names what the session talks to; 403 if its surface is closed. */
export async function assertNamed(
  targets: Targets,
  { token, session: { target } }: Pick<SessionContext, 'token' | 'session'>,
): Promise<void> {
  const named = await targets.of(token);
  if (!named.some(({ id, kind }) => id === target.id && kind === target.kind)) throw sessionEnded();
}

/**
 * The token of a session, and a scope that has read its conversation and, to start an answer, its target and the revision of
 * the models: in one request.
 */
async function readForSession(session: ClientSession, runtime: Runtime, startsAnswer: boolean) {
  const { tokenId, conversationId, target } = session;
  const scope = runtime.scopeOf(toTenant(session.userId, session.organizationId));
  const ofTarget = target.kind === 'flow' ? flowEntity : agentEntity;
  const ahead = [
    ...(startsAnswer ? [ofTarget.key({ id: target.id })] : []),
    ...(conversationId ? [conversationEntity.key({ id: conversationId })] : []),
  ];
  const models = startsAnswer ? [modelDefaultsEntity.key({})] : [];
  const keys = [clientTokenEntity.key({ id: tokenId }), ...ahead, ...models];
  const [found, ...items] = await scope.table.getMany(keys, { consistent: true });
  const [token] = found ? decodeReadable(clientTokenEntity, [found]) : [];
  return {
    token,
    accountRevision: startsAnswer ? readAccountRevision(items.at(-1)) : undefined,
    scope: preloadItems(
      scope,
      ahead.map((key, at) => [key, items[at]]),
    ),
  };
}

/** What every network of visitors may send, so that tokens with low limits work for a single visitor. */
const least = { perMinute: 10, perHour: 50 };

/** How much of the limits of a token the visitors of one network may use: half, so that no one uses them up for all. */
const visitorShare = ({ rateLimitPerMinute, rateLimitPerHour }: Limits) => ({
  perMinute: Math.max(least.perMinute, Math.ceil(rateLimitPerMinute / 2)),
  perHour: Math.max(least.perHour, Math.ceil(rateLimitPerHour / 2)),
});

type Limits = Pick<ClientToken, 'rateLimitPerMinute' | 'rateLimitPerHour'>;

/** Refuses a request that was counted beyond the share of its network. */
function limitToShare(counted: RequestAdmission, token: Limits, now: Date): RequestAdmission {
  const { perMinute, perHour } = visitorShare(token);
  const { minutely, hourly, daily } = counted.windows;
  const windows = {
    daily,
    ...(minutely && { minutely: limitWindow(perMinute, minutely) }),
    ...(hourly && { hourly: limitWindow(perHour, hourly) }),
  };
  const refusal =
    counted.refusal ??
    tooMany('Minutely', minutely, perMinute, now) ??
    tooMany('Hourly', hourly, perHour, now);
  return { ...counted, windows, rateLimit: pickTightestWindow(windows), refusal };
}

const countUsed = ({ limit, remaining }: RateLimit) => limit - remaining;

const limitWindow = (limit: number, window: RateLimit): RateLimit => ({
  ...window,
  limit,
  remaining: Math.max(0, limit - countUsed(window)),
});

const tooMany = (title: 'Minutely' | 'Hourly', window: RateLimit | undefined, limit: number, now: Date) =>
  window && countUsed(window) > limit
    ? rateLimited(title, limit, Math.max(1, window.reset - unixSeconds(now)))
    : undefined;
