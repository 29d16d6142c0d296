import * as z from 'zod';
import { rememberSecretValue } from '../../../core/redaction/known-values.ts';
import { soleSecretReference } from '../../../core/variables/secret-references.ts';
import { using } from '../../../platform/aws/uses.ts';
import { defineEntity } from '../../../platform/data/entity.ts';
import { sharedPartition, tenantPartition } from '../../../platform/data/keys.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import type { Runtime } from '../../../platform/runtime.ts';
import { createCachedReader, secretValues } from '../../secrets/secret-values.ts';
import { type SecretReader, surfaceSecretReader, surfaceSecretVault } from '../../secrets/secret-vault.ts';
import { assertWithinLimit } from '../../tenant-limits.ts';
import { type Surface, surfaceEntity } from '../surface/surface.ts';
import { cardSecretKey } from '../surface/surface-behavior.ts';
import { toleranceDefaultSeconds } from '../surface/surface-bodies.ts';
import {
  type HeldSecret,
  listPlaintextIds,
  listSurfaceSecretKeys,
} from '../surface/surface-secret-places.ts';
import { isSignedBy, type SignedRequest } from '../surface/verify-webhook.ts';

/** The values of the signing secrets of a surface. Never store or return them. */
export interface SurfaceSecrets {
  /** Empty too if none of them has a value, which must not count as a surface without a signature. */
  inbound: string[];
  /** Undefined too if it has no value. */
  outbound: string | undefined;
}

/** @throws if a value cannot be read because of an outage. */
export const surfaceSecrets = /* @__PURE__ */ using([secretValues, surfaceSecretReader], (scope: Scope) => {
  const read = createCachedReader(scope, surfaceSecretReader(scope));

  return async (surface: Surface): Promise<SurfaceSecrets> => {
    const keys = listSurfaceSecretKeys(surface);
    const [plaintexts, referenced] = await Promise.all([
      listPlaintextIds(surface).length > 0 ? readPlaintexts({ read }, surface) : {},
      keys.length > 0 ? secretValues(scope)(keys) : new Map<string, string>(),
    ]);
    const resolve = (secret: HeldSecret): string | undefined =>
      typeof secret === 'string'
        ? referenced.get(soleSecretReference(secret) ?? '')
        : (plaintexts as Record<string, string>)[secret.id];
    const { inbound, outbound } = surface;
    return {
      inbound: (inbound.signature?.secrets ?? []).map(resolve).filter((value) => value !== undefined),
      outbound: outbound.webhook && resolve(outbound.webhook.secret),
    };
  };
});

type Plaintexts = Readonly<Record<string, string>>;

/** The plaintexts of a surface by their ids. Empty if the surface is being deleted. */
async function readPlaintexts(
  { read }: SecretReader,
  { id, valueId }: Pick<Surface, 'id' | 'valueId'>,
): Promise<Plaintexts> {
  const text = valueId === null ? undefined : await read(id, valueId);
  const plaintexts: Plaintexts = JSON.parse(text ?? '{}');
  for (const plaintext of Object.values(plaintexts)) rememberSecretValue(plaintext);
  return plaintexts;
}

/** All surfaces of a tenant that have, or had, a plaintext. */
export const surfaceSecretsPartition = tenantPartition('SURFACESECRETS');

/** Lists a surface whose plaintexts are in Secrets Manager, also one that was not created after a crash. */
export const surfaceSecretEntity = defineEntity({
  type: 'surfaceSecret',
  schema: z.object({ surfaceId: z.string() }),
  key: ({ surfaceId }: { surfaceId: string }) => ({ PK: surfaceSecretsPartition, SK: surfaceId }),
});

export const listUsedSecretKeys = (surface: Surface): string[] => [
  ...new Set([
    ...listSurfaceSecretKeys(surface),
    ...[cardSecretKey(surface)].filter((key) => key !== undefined),
  ]),
];

interface StoredText {
  text: string;
  valueId: string;
}

/** One secret per surface, one version per set. The surface names its version, so a failed change leaves the plaintexts as is. */
export const surfaceSecretWriter = /* @__PURE__ */ using(
  ['table:write', surfaceSecretVault, surfaceSecretReader],
  (scope: Scope) => {
    const { table } = scope;
    const vault = surfaceSecretVault(scope);
    const reader = surfaceSecretReader(scope);

    /** Lists the surface before its secret exists, so that every secret can be found and counts for the limit. */
    async function list(surfaceId: string): Promise<void> {
      if (await table.get(surfaceSecretEntity, { surfaceId }, { consistent: true })) return;
      const count = await table.count({ partition: surfaceSecretsPartition });
      assertWithinLimit('surfaces with secrets', count + 1);
      await table.commit([table.writes.put(surfaceSecretEntity, { surfaceId })]);
    }

    /** A change may be decided several times. @returns a function that gives a surface's version. @throws 409 at the limit */
    return (plaintexts: ReadonlyMap<string, string>) => {
      let last: StoredText | undefined;
      return async (before: Surface, after: Surface): Promise<string | null> => {
        const [had, has] = [listPlaintextIds(before), listPlaintextIds(after)];
        if (had.length === has.length && has.every((id) => had.includes(id))) return before.valueId;
        const old = await readPlaintexts(reader, before);
        const values = has.map((id) => [id, plaintexts.get(id) ?? old[id] ?? ''] as const);
        for (const [, value] of values) rememberSecretValue(value);
        const text = JSON.stringify(Object.fromEntries(values));
        if (last?.text !== text) {
          if (before.valueId === null) await list(before.id);
          last = { text, valueId: await vault.store(before.id, text) };
        }
        return last.valueId;
      };
    };
  },
);

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
