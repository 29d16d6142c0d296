import { type Screens, screen } from '../../routing/screens.ts';

const flowRunScreens: Screens = {
  '/flows/$flowId/try': screen(() => import('./try.tsx'), 'TryFlow'),
  '/flows/$flowId/versions': screen(() => import('./versions.tsx'), 'FlowVersions'),
  '/flows/$flowId/run': screen(() => import('./run-on-records.tsx'), 'RunOnRecords'),
  '/flows/$flowId/recompute': screen(() => import('./recompute.tsx'), 'RecomputeFlow'),
};

export const flowScreens: Screens = {
  '/flows': screen(() => import('./list.tsx'), 'FlowList'),
  '/flows/$flowId': screen(() => import('./editor.tsx'), 'FlowEditor'),
  ...flowRunScreens,
};
