import { type Screens, screen } from '../../routing/screens.ts';

export const batchScreens: Screens = {
  '/runs/batches/$batchId': screen(() => import('./batch.tsx'), 'BatchRun'),
};
