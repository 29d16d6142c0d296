import { type Screens, screen } from '../../routing/screens.ts';

/** Two addresses, because a browser of another computer than that of the command line has no port to return to. */
export const commandLineScreens: Screens = {
  '/command-line/$host/$challenge': screen(() => import('./login.tsx'), 'Login'),
  '/command-line/$host/$challenge/$port/$state': screen(() => import('./login.tsx'), 'Login'),
};
