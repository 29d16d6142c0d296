import { type Screens, screen } from '../../routing/screens.ts';

export const recordScreens: Screens = {
  '/records': screen(() => import('./types.tsx'), 'RecordTypes'),
  '/records/type/$type': screen(() => import('./type-table.tsx'), 'RecordsOfType'),
  '/records/record/$recordId': screen(() => import('./record.tsx'), 'OneRecord'),
};
