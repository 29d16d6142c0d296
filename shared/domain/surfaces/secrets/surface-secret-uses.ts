import type { Surface } from '../surface/surface.ts';
import { cardSecretOf } from '../surface/surface-behavior.ts';
import { secretKeysOf } from '../surface/surface-secret-places.ts';

export const usedSecretKeysOf = (surface: Surface): string[] => [
  ...new Set([...secretKeysOf(surface), ...[cardSecretOf(surface)].filter((key) => key !== undefined)]),
];
