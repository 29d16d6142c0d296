import type { StartedTarget } from '../../execution/targets/start-target.ts';
import type { AgentResult } from '../json/agent-result.ts';
import type { DispatchResult } from '../json/dispatch-result.ts';
import { readAgentResult, readDispatchResult } from '../json/read-result.ts';
import { agentEvents } from '../run-events/agent-events.ts';
import { flowEvents } from '../run-events/flow-events.ts';
import type { StreamEvent } from '../run-events/stream-event.ts';

/** The events of a run, whatever runs. Read these or the result, once. */
export const targetEvents =
  (run: StartedTarget) =>
  (signal: AbortSignal): AsyncIterable<StreamEvent> =>
    run.kind === 'flow' ? flowEvents(run.events(signal)) : agentEvents(run.events(signal));

/** How a run ended, whatever ran, with its answer as `output`. */
export const targetResult =
  (run: StartedTarget) =>
  async (
    signal: AbortSignal,
  ): Promise<DispatchResult | (Omit<AgentResult, 'result'> & { output: unknown })> => {
    if (run.kind === 'flow') return readDispatchResult(run.events(signal));
    const { result: output, ...rest } = await readAgentResult(run.executionId, run.events(signal));
    return { ...rest, output };
  };
