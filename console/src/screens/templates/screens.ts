import { type Screens, screen } from '../../routing/screens.ts';

export const templateScreens: Screens = {
  '/templates': screen(() => import('./templates.tsx'), 'Templates'),
};
