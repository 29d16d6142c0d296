import { type Screens, screen } from '../../routing/screens.ts';

export const flowRunScreens: Screens = {
  '/flows/$flowId/try': screen(() => import('./try.tsx'), 'TryFlow'),
  '/flows/$flowId/versions': screen(() => import('./versions.tsx'), 'FlowVersions'),
  '/flows/$flowId/run': screen(() => import('./run-on-records.tsx'), 'RunOnRecords'),
  '/flows/$flowId/recompute': screen(() => import('./recompute.tsx'), 'RecomputeFlow'),
};
