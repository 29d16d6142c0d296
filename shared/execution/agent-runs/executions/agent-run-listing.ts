import { type NewRun, type RunEnding, runError } from '../../../domain/runs/run-list.ts';
import { childListing, type ParentListing, type RunOrigin } from '../../../domain/runs/run-origin.ts';
import { noTotals } from '../../../domain/runs/run-totals.ts';
import type { RunUse } from '../../../domain/runs/run-use.ts';
import type { EndFact } from '../../agent-loop/facts.ts';
import type { RunState } from '../../agent-loop/state.ts';
import type { AgentExecution } from './agent-execution.ts';
import { endStatus } from './execution-writes.ts';

const originOf = ({ origin, parentExecutionId, userId }: AgentExecution): RunOrigin =>
  origin ?? {
    trigger: { type: parentExecutionId ? 'run' : 'api', userId },
    ...(parentExecutionId && { parentRunId: parentExecutionId, rootRunId: parentExecutionId }),
  };

/** The run of an agent as it is listed. */
export function runOfAgent(execution: AgentExecution): NewRun {
  const { id, agentName: name, agentId, agentVersionId, startedAt, ttl } = execution;
  return {
    id,
    kind: 'agent',
    name,
    ...(agentId && { agentId }),
    ...(agentVersionId && { agentVersionId }),
    ...originOf(execution),
    startedAt,
    ...(ttl !== undefined && { ttl }),
  };
}

export const listingOfAgent = (execution: AgentExecution): ParentListing =>
  childListing(execution.id, originOf(execution));

/** @param use Of the model calls of the whole run. */
export function endingOfAgent(end: EndFact, { totals }: RunState, use: RunUse): RunEnding {
  const {
    inputTokens: input,
    outputTokens: output,
    cachedInputTokens,
    reasoningTokens,
    cost,
    cacheSavings,
    isPriced,
    warnings,
  } = totals;
  const tokens = { input, output, cachedInput: cachedInputTokens, reasoning: reasoningTokens };
  const status = endStatus(end);
  return {
    status,
    stopReason: end.stopReason,
    at: end.at,
    totals: { ...noTotals, tokens, cost, cacheSavings, isPriced, use, warnings },
    error: runError(status, end.error),
  };
}
