import { type Screens, screen } from '../../routing/screens.ts';

export const alertScreens: Screens = {
  '/alerts': screen(() => import('./alerts.tsx'), 'Alerts'),
};
