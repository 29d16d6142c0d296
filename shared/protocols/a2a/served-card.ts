import type { ServedCard } from '../../adapters/a2a-server/served-agent.ts';
import { requireEnv } from '../../core/environment.ts';
import type { ExposedSurface } from '../../domain/surfaces/exposed-item.ts';
import { a2aPathOf } from './paths.ts';
import { skillOf } from './skills.ts';

export const cardOf = ({ surface, product, exposed }: ExposedSurface, baseUrl: string): ServedCard => ({
  name: surface.name,
  description: product.description ?? product.name,
  version: String(surface.revision),
  url: baseUrl + a2aPathOf({ id: surface.productId, surfaceId: surface.id }),
  oidcIssuer: requireEnv('OIDC_ISSUER'),
  skills: exposed.map(skillOf),
});
