import { soleSecretReference } from '../../../core/secret-references.ts';
import { using } from '../../../platform/aws/uses.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import { createCachedReader, secretValues } from '../../secrets/secret-values.ts';
import { surfaceSecretReader } from '../../secrets/secret-vault.ts';
import type { Surface } from '../surface/surface.ts';
import {
  type HeldSecret,
  listPlaintextIds,
  listSurfaceSecretKeys,
} from '../surface/surface-secret-places.ts';
import { readPlaintexts } from './surface-plaintexts.ts';

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
