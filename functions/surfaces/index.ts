import type { Group } from '../../shared/platform/http/group.ts';
import { createSurface } from './create.ts';
import { deleteSurface } from './delete.ts';
import { getSurface } from './get.ts';
import { listSurfaces } from './list.ts';
import { updateSurface } from './update.ts';

export const surfacesGroup = {
  description: 'Define how callers reach the capabilities of a product.',
  endpoints: [listSurfaces, createSurface, getSurface, updateSurface, deleteSurface],
} as const satisfies Group;
