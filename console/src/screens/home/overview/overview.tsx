import { CostSection } from './cost-section.tsx';
import { Failures } from './failures.tsx';
import { Figures } from './figures.tsx';
import { RunningNow, Waiting } from './open-runs.tsx';
import type { Range } from './range.ts';
import { RunsSection } from './runs-section.tsx';

/** What ran in a range of time, what it cost, and what needs somebody. Each part asks for itself. */
export const Overview = ({ range }: { range: Range }) => (
  <div className="stack">
    <Figures range={range} />
    <div className="home-pair">
      <RunsSection range={range} />
      <CostSection range={range} />
    </div>
    <div className="home-pair">
      <RunningNow />
      <Waiting />
    </div>
    <Failures range={range} />
  </div>
);
