import { type Screens, screen } from '../../routing/screens.ts';

export const agentRunScreens: Screens = {
  '/runs/agents/$agentId/$executionId': screen(() => import('./agent-run.tsx'), 'OneAgentRun'),
};
