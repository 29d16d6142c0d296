import { type Screens, screen } from '../../shell/screens.ts';

export const flowRunScreens: Screens = {
  '/flows/$flowId/run': screen(() => import('./run-on-records.tsx'), 'RunOnRecords'),
};
