import type { Surface } from '../surface/surface.ts';
import { cardSecretKey } from '../surface/surface-behavior.ts';
import { listSurfaceSecretKeys } from '../surface/surface-secret-places.ts';

export const listUsedSecretKeys = (surface: Surface): string[] => [
  ...new Set([
    ...listSurfaceSecretKeys(surface),
    ...[cardSecretKey(surface)].filter((key) => key !== undefined),
  ]),
];
