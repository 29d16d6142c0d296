import { type Screens, screen } from '../../shell/screens.ts';

export const settingsScreens: Screens = {
  '/settings': screen(() => import('./api-keys.tsx'), 'ApiKeys'),
  '/settings/api-keys': screen(() => import('./api-keys.tsx'), 'ApiKeys'),
  '/settings/secrets': screen(() => import('./secrets.tsx'), 'Secrets'),
};
