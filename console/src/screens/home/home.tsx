import { Page } from '../../ui/page.tsx';
import { AgentRuns } from './agent-runs.tsx';
import { LastRuns } from './last-runs.tsx';
import { Limits } from './limits.tsx';
import { Spending } from './spending.tsx';

/** What runs, what failed, what it costs. Each part asks for itself, and says by itself what it may not see. */
export const Home = () => (
  <Page title="Home">
    <div className="stack">
      <Spending />
      <LastRuns />
      <AgentRuns />
      <Limits />
    </div>
  </Page>
);
