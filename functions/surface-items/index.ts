import type { Group } from '../../shared/platform/http/group.ts';
import { addSurfaceItem } from './add.ts';
import { removeSurfaceItem } from './remove.ts';
import { updateSurfaceItem } from './update.ts';

export const surfaceItemsGroup = {
  description: 'Choose which capabilities a surface exposes, and under which names.',
  endpoints: [addSurfaceItem, updateSurfaceItem, removeSurfaceItem],
} as const satisfies Group;
