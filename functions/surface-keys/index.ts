import type { EndpointGroup } from '../../shared/platform/http/endpoint.ts';
import { createSurfaceKey } from './create.ts';
import { deleteSurfaceKey } from './delete.ts';
import { listSurfaceKeys } from './list.ts';
import { revealSurfaceKey } from './reveal.ts';

export const surfaceKeysGroup = {
  description: 'Let callers use one surface, and nothing else.',
  endpoints: [listSurfaceKeys, createSurfaceKey, deleteSurfaceKey, revealSurfaceKey],
} as const satisfies EndpointGroup;
