import { type Screens, screen } from '../../routing/screens.ts';

export const recordScreens: Screens = {
  '/records': screen(() => import('./types.tsx'), 'RecordTypes'),
  '/records/import': screen(() => import('./imports/new-import.tsx'), 'SendFilePage'),
  '/records/imports': screen(() => import('./imports/jobs.tsx'), 'ImportsAndExports'),
  '/records/imports/$importId': screen(() => import('./imports/import-page.tsx'), 'ImportPage'),
  '/records/type/$type': screen(() => import('./type-table.tsx'), 'RecordsOfType'),
  '/records/record/$recordId': screen(() => import('./record.tsx'), 'OneRecord'),
};
