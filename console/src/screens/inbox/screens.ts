import { type Screens, screen } from '../../routing/screens.ts';

export const inboxScreens: Screens = {
  '/inbox': screen(() => import('./inbox.tsx'), 'Inbox'),
};
