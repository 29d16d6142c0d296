import { conflict } from '../../core/errors/errors.ts';
import { assertFits } from '../content-size.ts';
import { getSurfaceType, type Surface, toStoredSurface } from './surface/surface.ts';
import { assertBehavior } from './surface/surface-behavior.ts';
import type { Inbound, Outbound } from './surface/surface-bodies.ts';
import { mergeInbound, mergeOutbound, type SealedMembers } from './surface/surface-secret-places.ts';

export const surfacesMax = 40;
/** So that a product with all of its surfaces fits a response. */
const surfaceBytesMax = 100_000;

type Members = Record<string, unknown>;

/** Missing members stay unchanged. The first level of `behavior` is merged; `null` removes a member. */
export interface SurfaceChanges {
  name?: string | undefined;
  environment?: Surface['environment'] | undefined;
  status?: Surface['status'] | undefined;
  behavior?: Members | undefined;
  inbound?: Inbound | undefined;
  outbound?: Outbound | undefined;
}

export type NewSurface = SurfaceChanges & Pick<Surface, 'name' | 'type'>;

/** @throws 400 for a stored secret that the surface does not have, or a behavior that its type does not have. */
export function mergeSurface(before: Surface, changes: SurfaceChanges, sealed: SealedMembers): Surface {
  const { name = before.name, environment = before.environment, status = before.status } = changes;
  assertBehavior(before.type, changes.behavior);
  const merged = Object.entries({ ...before.behavior, ...changes.behavior }).filter(
    ([, value]) => value !== null,
  );
  return {
    ...before,
    name,
    environment,
    status,
    behavior: Object.fromEntries(merged),
    inbound: mergeInbound(before.inbound, sealed),
    outbound: mergeOutbound(before.outbound, sealed),
  };
}

export function assertConnected(surface: Pick<Surface, 'type'>, refusal: (message: string) => Error): void {
  const problem = channelProblem(surface);
  if (problem !== undefined) throw refusal(problem);
}

/** Why a surface of its type cannot be active. */
export function channelProblem({ type }: Pick<Surface, 'type'>): string | undefined {
  const { channel } = getSurfaceType(type);
  if (channel === undefined) return undefined;
  return `The surface cannot be active: this service has no connection to ${channel}. Keep it as a draft, or use a surface of the type api or webhook`;
}

/** @throws 400 if the surface does not fit an item of the table. */
export function toFittingItem(surface: Surface) {
  const item = toStoredSurface(surface);
  const { behavior, inbound, outbound, items } = item;
  assertFits('a surface', { behavior, inbound, outbound, items }, surfaceBytesMax);
  return item;
}

export const createTooManySurfaces = () =>
  conflict({
    code: 'LIMIT_REACHED',
    message: `A product has at most ${surfacesMax} surfaces. Delete those that are no longer used`,
  });
