import { type Screens, screen } from '../../shell/screens.ts';

export const homeScreens: Screens = {
  '/': screen(() => import('./home.tsx'), 'Home'),
};
