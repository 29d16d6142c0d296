import type { APIGatewayProxyEvent } from 'aws-lambda';
import { sessionEnded } from '../../../domain/client-sessions/turn-state.ts';
import { toNetwork } from '../../../platform/auth/addresses.ts';
import { hashKey } from '../../../platform/auth/key-format.ts';
import type { ScopeFrom } from '../../../platform/auth/public-scope.ts';
import { admitAddress, admitAnonymous, type RequestAdmission } from '../../../platform/auth/request-gate.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import type { Runtime } from '../../../platform/runtime.ts';

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

export type VisitorScope<V> = Scope & { visit: V };
type Found<V> =
  | { admission: RequestAdmission; scope?: undefined }
  | { admission: RequestAdmission; scope: Scope; visit: V };

export type Find<V> = (given: string, request: Request) => Promise<Found<V>>;

/** By the first of these members that the body has. The endpoint refuses a body that has not exactly one. */
export const visitorsBy = <V>(
  finders: Readonly<Record<string, Find<V>>>,
  membersOf = membersOfBody,
): ScopeFrom => ({
  kind: 'from',
  uses: ['rate-limits', 'table:read'],
  async callOf(event, runtime) {
    const sourceIp = event.requestContext.identity?.sourceIp ?? null;
    const members = membersOf(event);
    const [given] = Object.entries(finders).flatMap(([name, find]) => {
      const value = members[name];
      return isCredential(value) ? [{ value, find }] : [];
    });
    if (!given) {
      const admission = await admitAddress(runtime.scopeOf(''), sourceIp);
      const refusal = membersOf === membersOfBody ? undefined : sessionEnded();
      return { admission: Promise.resolve({ ...admission, refusal: admission.refusal ?? refusal }) };
    }
    const count = (hash: string, runs = false) => {
      const counted = `${runs ? 'Visitor run' : 'Visitor'} ${hash} ${toNetwork(sourceIp)}`;
      return admitAnonymous(runtime.scopeOf(''), counted, runs ? runLimits : limits);
    };
    const { origin = null, host } = event.headers;
    const ownHost = event.headers['sec-fetch-site'] === 'same-origin' ? host : undefined;
    const countUnknown = () => admitAddress(runtime.scopeOf(''), sourceIp);
    const request = { origin, ownHost, runtime, count, countUnknown };
    const found = await given.find(given.value, request);
    const admission = Promise.resolve(found.admission);
    if (!found.scope) return { admission };
    const scope: VisitorScope<V> = { ...found.scope, visit: found.visit };
    return { scope, admission, caller: `visitor ${hashKey(given.value)}` };
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
export function membersOfHeader({ headers }: APIGatewayProxyEvent): Record<string, unknown> {
  const [, sessionId] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? [];
  return { sessionId };
}

const isCredential = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= 255;
