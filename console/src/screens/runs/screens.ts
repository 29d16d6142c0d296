import { type Screens, screen } from '../../routing/screens.ts';

const listedRunScreens: Screens = {
  '/runs': screen(() => import('./list/runs.tsx'), 'Runs'),
  '/runs/$runId': screen(() => import('./page/run-page.tsx'), 'RunPage'),
};

const agentRunScreens: Screens = {
  '/runs/agents/$agentId/$executionId': screen(() => import('./agent-run.tsx'), 'OneAgentRun'),
};

const batchScreens: Screens = {
  '/runs/batches/$batchId': screen(() => import('./batch.tsx'), 'BatchRun'),
};

export const runScreens: Screens = { ...listedRunScreens, ...agentRunScreens, ...batchScreens };
