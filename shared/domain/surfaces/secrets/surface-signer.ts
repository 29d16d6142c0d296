import * as z from 'zod';
import { using } from '../../../platform/aws/uses.ts';
import { defineEntity } from '../../../platform/data/entity.ts';
import { sharedPartition } from '../../../platform/data/keys.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import type { Runtime } from '../../../platform/runtime.ts';
import { surfaceEntity } from '../surface/surface.ts';
import { toleranceDefaultSeconds } from '../surface/surface-bodies.ts';
import type { SignedRequest } from '../surface/verify-webhook.ts';
import { isSignedBy } from '../surface/verify-webhook.ts';
import { surfaceSecrets } from './surface-secrets.ts';

/** Whose surface it is, for requests without a credential. Only for surfaces with a signature, or with an agent card. */
export const surfaceSignerEntity = defineEntity({
  type: 'surfaceSigner',
  schema: z.object({ surfaceId: z.string(), tenant: z.string() }),
  key: ({ surfaceId }: { surfaceId: string }) => ({
    PK: sharedPartition(`SURFACE#${surfaceId}`),
    SK: 'SIGNER',
  }),
});

interface Addressed extends SignedRequest {
  productId: string;
  surfaceId: string;
}

/** The scope of the tenant if a secret of its webhook surface has signed the request. */
export const signerOfSurface = /* @__PURE__ */ using(
  ['table:read', surfaceSecrets],
  async ({ productId, surfaceId, ...request }: Addressed, runtime: Runtime): Promise<Scope | undefined> => {
    const { table } = runtime.scopeOf('');
    const signer = await table.get(surfaceSignerEntity, { surfaceId }, { consistent: true });
    if (!signer) return undefined;
    const scope = runtime.scopeOf(signer.tenant);
    const key = { productId, id: surfaceId };
    const surface = await scope.table.get(surfaceEntity, key, { consistent: true });
    const { signature } = surface?.inbound ?? {};
    if (!surface || !signature || surface.type !== 'webhook') return undefined;
    const { scheme, toleranceSeconds = toleranceDefaultSeconds } = signature;
    const { inbound: secrets } = await surfaceSecrets(scope)(surface);
    return isSignedBy(request, { scheme, secrets, toleranceSeconds, now: scope.now() }) ? scope : undefined;
  },
);
