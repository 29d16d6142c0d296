import { type Screens, screen } from '../../routing/screens.ts';

export const listedRunScreens: Screens = {
  '/runs': screen(() => import('./list/runs.tsx'), 'Runs'),
  '/runs/$runId': screen(() => import('./page/run-page.tsx'), 'RunPage'),
};
