import { type Screens, screen } from '../../routing/screens.ts';

export const homeScreens: Screens = {
  '/': screen(() => import('./home.tsx'), 'Home'),
};
