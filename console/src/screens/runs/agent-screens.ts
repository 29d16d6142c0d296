import { type Screens, screen } from '../../shell/screens.ts';

export const agentRunScreens: Screens = {
  '/runs/agents/$agentId/$executionId': screen(() => import('./agent-run.tsx'), 'AgentRun'),
};
