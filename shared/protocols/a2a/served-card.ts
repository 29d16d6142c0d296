import type { ServedCard } from '../../adapters/a2a-server/served-agent.ts';
import { requireEnv } from '../../core/environment.ts';
import type { ExposedSurface } from '../../domain/surfaces/exposed-item.ts';
import { surfaceA2aPath } from './parameters.ts';
import { toServedSkill } from './skills.ts';

export const toServedCard = ({ surface, product, exposed }: ExposedSurface, baseUrl: string): ServedCard => ({
  name: surface.name,
  description: product.description ?? product.name,
  version: String(surface.revision),
  url: baseUrl + surfaceA2aPath({ id: surface.productId, surfaceId: surface.id }),
  oidcIssuer: requireEnv('OIDC_ISSUER'),
  skills: exposed.map(toServedSkill),
});
