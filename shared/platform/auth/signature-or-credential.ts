import type { APIGatewayProxyEvent } from 'aws-lambda';
import { unauthenticated } from '../../core/errors/errors.ts';
import type { Use } from '../aws/uses.ts';
import type { Scope } from '../data/scope.ts';
import type { Runtime } from '../runtime.ts';
import { toNetwork } from './addresses.ts';
import { hasCredential } from './credential.ts';
import type { SpecialCredential } from './credential-kind.ts';
import { resolveCredentialCall } from './optional-credential.ts';
import type { SignatureOrCredential } from './public-scope.ts';
import type { RequestLimits } from './rate-limit-windows.ts';
import { admitAnonymous } from './request-gate.ts';

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
