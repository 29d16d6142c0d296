import { Failure } from '../ui/failure.tsx';
import { AgentWaits } from './agent-waits.tsx';
import { PartsView } from './parts-view.tsx';
import { RunEndView } from './run-end-view.tsx';
import type { LiveRun } from './use-agent-run.ts';
import '../style/run.css';

/** A run of an agent: what it did so far, what it waits for, how it ended. */
export function AgentRunView({ live, isWhole = false }: { live: LiveRun; isWhole?: boolean }) {
  const { run, refused, lost, look } = live;
  return (
    <div className="run-parts">
      <PartsView {...{ parts: run.parts, isWhole }} />
      <AgentWaits live={live} />
      {refused && <Failure error={refused} />}
      {lost && <Failure error={lost} onRetry={look} />}
      {run.end && <RunEndView end={run.end} />}
    </div>
  );
}
