import type { APIGatewayProxyEvent } from 'aws-lambda';
import { notFound } from '../../core/errors/errors.ts';
import { tryParseJson } from '../../core/json/json.ts';
import { assertValueCount } from '../../core/json/value-count.ts';
import type { Requirements, Use } from '../aws/uses.ts';
import type { Needs, Resolved, Scope } from '../data/scope.ts';
import type { Principal } from '../identity/principal.ts';
import type { Runtime } from '../runtime.ts';
import { toNetwork } from './addresses.ts';
import type { AccessRules } from './credential-kind.ts';
import type { RequestLimits } from './rate-limit-windows.ts';
import { admitAnonymous, type RequestAdmission } from './request-limiter.ts';

export interface PublicCall {
  principal?: Principal;
  /** The scope of the tenant that `needs` are bound to. */
  scope?: Scope;
  /** Who asks, where it is no principal. */
  caller?: string;
  admission: Promise<RequestAdmission>;
}

/** Resolves a request to a route without an authorizer. @throws ServiceError if the request is refused. */
type Admitting = (event: APIGatewayProxyEvent, runtime: Runtime) => Promise<PublicCall>;

/** The caller's tenant; none without a credential. */
export interface OptionalCredential extends Requirements {
  kind: 'optional-credential';
  resolveCall: Admitting;
}

/** The tenant that the path or the endpoint's own token names. */
export interface ScopeFrom extends Requirements {
  kind: 'from';
  resolveCall: Admitting;
}

/** The tenant of a valid signature, or of the credential: see `optional-credential.ts`. */
export interface SignatureOrCredential extends Requirements {
  kind: 'signature-or-credential';
  resolveCall: Admitting;
}

/** Verifies the credential of an endpoint in its Lambda, in place of the gateway's authorizer: see `optional-credential.ts`. */
export interface VerifiedCredential extends Requirements {
  resolveCall: (event: APIGatewayProxyEvent, runtime: Runtime, rules: AccessRules) => Promise<PublicCall>;
}

/** The tenant of the credential, which a request needs: see `optional-credential.ts`. */
export interface ChallengedCredential extends Requirements {
  kind: 'challenged-credential';
  resolveCall: Admitting;
}

/** How a public endpoint determines its tenant. `none`: no tenant, no `needs`, and requests are not counted. */
export type PublicScope =
  | 'none'
  | OptionalCredential
  | ScopeFrom
  | SignatureOrCredential
  | ChallengedCredential;

export type CallerOf<S extends PublicScope | undefined> = S extends undefined | ChallengedCredential
  ? Principal
  : S extends OptionalCredential | SignatureOrCredential
    ? Principal | undefined
    : undefined;

export type NeedsOf<N extends Needs, S extends PublicScope | undefined> = S extends undefined
  ? Resolved<N>
  : S extends OptionalCredential
    ? Resolved<N> | undefined
    : S extends ScopeFrom | SignatureOrCredential | ChallengedCredential
      ? Resolved<N>
      : undefined;

interface PublicTenant {
  /** The noun for a 404, such as `Chat`. Each noun has its own counters. */
  what: string;
  uses: readonly Use[];
  /** The tenant's scope, or `undefined` for an unknown name, which returns 404. */
  from: (event: APIGatewayProxyEvent, runtime: Runtime) => Promise<Scope | undefined>;
  /** Counts per network, or for all callers of the tenant together. */
  limit: RequestLimits & { per: 'address' | 'tenant' };
}

/** The scope of a public endpoint that serves one tenant. Its handler gets `needs` and no principal. */
export const defineScope = ({ what, uses, from, limit }: PublicTenant): ScopeFrom => ({
  kind: 'from',
  uses: ['rate-limits', ...uses],
  async resolveCall(event, runtime) {
    const scope = await from(event, runtime);
    const address = toNetwork(event.requestContext.identity?.sourceIp ?? null);
    const counted = scope && limit.per === 'tenant' ? scope.table.tenant : address;
    const admission = admitAnonymous(runtime.scopeOf(''), `${what} ${counted}`, limit);
    if (scope) return { scope, admission };
    // Count unknown names too, to limit guessing.
    return {
      admission: admission.then(({ refusal, ...rest }) => ({ ...rest, refusal: refusal ?? notFound(what) })),
    };
  },
});

/** A member of a JSON body, before the body is validated. @throws ServiceError 400 for a body of too many values. */
export function readBodyMember({ body, isBase64Encoded }: APIGatewayProxyEvent, name: string): unknown {
  const text = isBase64Encoded ? Buffer.from(body ?? '', 'base64').toString() : (body ?? '');
  assertValueCount(text);
  return (tryParseJson(text) as Record<string, unknown> | null | undefined)?.[name];
}
