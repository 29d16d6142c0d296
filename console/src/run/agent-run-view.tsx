import { Failure } from '../ui/failure.tsx';
import { AgentParts, RunEnd } from './agent-parts.tsx';
import { AgentWaits } from './agent-waits.tsx';
import type { LiveRun } from './use-agent-run.ts';

/** A run of an agent: what it did so far, what it waits for, how it ended. */
export function AgentRunView({ live, hasTurns = false }: { live: LiveRun; hasTurns?: boolean }) {
  const { run, refused, lost, look } = live;
  return (
    <>
      <AgentParts {...{ run, hasTurns }} />
      <AgentWaits live={live} />
      {refused && <Failure error={refused} />}
      {lost && <Failure error={lost} onRetry={look} />}
      <RunEnd run={run} />
    </>
  );
}
