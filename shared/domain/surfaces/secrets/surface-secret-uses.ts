import type { Surface } from '../surface/surface.ts';
import { cardSecretKey } from '../surface/surface-behavior.ts';
import { surfaceSecretKeys } from '../surface/surface-secret-places.ts';

export const usedSecretKeys = (surface: Surface): string[] => [
  ...new Set([...surfaceSecretKeys(surface), ...[cardSecretKey(surface)].filter((key) => key !== undefined)]),
];
