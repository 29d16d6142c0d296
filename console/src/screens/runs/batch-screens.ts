import { type Screens, screen } from '../../shell/screens.ts';

export const batchScreens: Screens = {
  '/runs/batches/$batchId': screen(() => import('./batch.tsx'), 'BatchRun'),
};
