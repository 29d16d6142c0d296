import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { Requirements } from '../aws/uses.ts';
import type { Needs, Resolved, Scope } from '../data/scope.ts';
import type { Principal } from '../identity/principal.ts';
import type { Runtime } from '../runtime.ts';
import type { AccessRules } from './credential-kind.ts';
import type { RequestAdmission } from './request-gate.ts';

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

/** The tenant that the path or the endpoint's own token names: see `scope-from.ts`. */
export interface ScopeFrom extends Requirements {
  kind: 'from';
  resolveCall: Admitting;
}

/** The tenant of a valid signature, or of the credential: see `signature-or-credential.ts`. */
export interface SignatureOrCredential extends Requirements {
  kind: 'signature-or-credential';
  resolveCall: Admitting;
}

/** Verifies the credential of an endpoint in its Lambda, in place of the gateway's authorizer: see `verified-credential.ts`. */
export interface VerifiedCredential extends Requirements {
  resolveCall: (event: APIGatewayProxyEvent, runtime: Runtime, rules: AccessRules) => Promise<PublicCall>;
}

/** The tenant of the credential, which a request needs: see `challenged-credential.ts`. */
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
