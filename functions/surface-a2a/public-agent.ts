import { notFound } from '../../shared/core/errors/errors.ts';
import { surfaceSignerEntity } from '../../shared/domain/surfaces/secrets/surface-signer.ts';
import type { Surface } from '../../shared/domain/surfaces/surface/surface.ts';
import { defineScope } from '../../shared/platform/auth/public-scope.ts';
import { SurfaceParams } from '../surfaces/response-schemas.ts';

/** The scope of an a2a surface for what everybody may read of it. */
export const scopeOfAgent = defineScope({
  what: 'A2A agent',
  uses: ['table:read', 'credentials'],
  async from({ pathParameters }, runtime) {
    const { data: surfaceId } = SurfaceParams.shape.surfaceId.safeParse(pathParameters?.surfaceId);
    const { table } = runtime.scopeOf('');
    const found = surfaceId && (await table.get(surfaceSignerEntity, { surfaceId }));
    return found ? runtime.scopeOf(found.tenant) : undefined;
  },
  limit: { per: 'address', perHour: 1_000, perDay: 10_000 },
});

/** @throws 404 for a surface that shows nothing to everybody. */
export function assertShown({ type, status }: Surface): void {
  if (type !== 'a2a' || status !== 'active') throw notFound('A2A agent');
}
