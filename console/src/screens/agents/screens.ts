import { type Screens, screen } from '../../routing/screens.ts';

export const agentScreens: Screens = {
  '/agents': screen(() => import('./list.tsx'), 'AgentList'),
  '/agents/$agentId': screen(() => import('./editor.tsx'), 'AgentEditor'),
  '/agents/$agentId/versions': screen(() => import('./versions.tsx'), 'AgentVersions'),
  '/agents/$agentId/chat': screen(() => import('./playground/playground.tsx'), 'Playground'),
  '/agents/$agentId/runs': screen(() => import('./runs.tsx'), 'AgentRuns'),
};
