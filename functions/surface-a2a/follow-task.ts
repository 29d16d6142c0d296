import type { ServedEvent } from '../../shared/adapters/a2a-server/served-agent.ts';
import type { A2aTask } from '../../shared/domain/a2a-tasks/task.ts';
import { followRun } from '../../shared/execution/agent-runs/follow-run.ts';
import { loadRun } from '../../shared/execution/agent-runs/load-run.ts';
import type { Scope } from '../../shared/platform/data/scope.ts';
import { agentEvents } from '../../shared/protocols/sse/agent-events.ts';
import { polled, taskEvents } from './run-events.ts';

/** What happens to a working task from now on: of an agent from the log of its run, of a flow its end. */
export async function* followTask(
  scope: Scope,
  task: A2aTask,
  signal: AbortSignal,
): AsyncGenerator<ServedEvent, void> {
  if (task.kind === 'flow') return yield* polled(scope, task, signal);
  const { log } = await loadRun(scope, task.executionId);
  const events = followRun(scope, task.executionId, log.at(-1)?.lastSeq ?? 0, signal);
  yield* taskEvents(scope, task, agentEvents(events), signal);
}
