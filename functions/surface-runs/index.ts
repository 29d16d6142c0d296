import type { EndpointGroup } from '../../shared/platform/http/endpoint.ts';
import { runSurfaceItem } from './run.ts';

export const surfaceRunsGroup = {
  description: 'Run what the surfaces of products expose.',
  endpoints: [runSurfaceItem],
} as const satisfies EndpointGroup;
