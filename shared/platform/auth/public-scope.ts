import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { Requirements } from '../aws/uses.ts';
import type { Needs, Resolved, Scope } from '../data/scope.ts';
import type { Principal } from '../identity/principal.ts';
import type { Runtime } from '../runtime.ts';
import type { Admission } from './request-gate.ts';

/** Who calls, for which tenant, and whether they may. */
export interface Call {
  principal?: Principal;
  /** Of the tenant that `needs` are bound to. */
  scope?: Scope;
  admission: Promise<Admission>;
}

/** Finds out about a call for which API Gateway asks no credential. @throws ServiceError where it cannot go on. */
type Admitting = (event: APIGatewayProxyEvent, runtime: Runtime) => Promise<Call>;

/** With a credential, the caller's tenant; without one, none. */
export interface OptionalCredential extends Requirements {
  kind: 'optional-credential';
  callOf: Admitting;
}

/** Without a credential, the tenant that the path or a token of the endpoint's own names: see `scope-from.ts`. */
export interface ScopeFrom extends Requirements {
  kind: 'from';
  callOf: Admitting;
}

/**
 * How the tenant of a public endpoint follows. `none`: it has no tenant, gets nothing of `needs`, and its requests are
 * not counted.
 */
export type PublicScope = 'none' | OptionalCredential | ScopeFrom;

/** Who calls, as the handler sees it. */
export type CallerOf<S extends PublicScope | undefined> = S extends undefined
  ? Principal
  : S extends OptionalCredential
    ? Principal | undefined
    : undefined;

/** What the handler gets of `needs`. */
export type NeedsOf<N extends Needs, S extends PublicScope | undefined> = S extends undefined
  ? Resolved<N>
  : S extends OptionalCredential
    ? Resolved<N> | undefined
    : S extends ScopeFrom
      ? Resolved<N>
      : undefined;
