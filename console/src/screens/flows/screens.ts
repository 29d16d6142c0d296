import { type Screens, screen } from '../../routing/screens.ts';
import { flowRunScreens } from './run-screens.ts';

export const flowScreens: Screens = {
  '/flows': screen(() => import('./list.tsx'), 'FlowList'),
  '/flows/$flowId': screen(() => import('./editor.tsx'), 'FlowEditor'),
  ...flowRunScreens,
};
