import { useEffect } from 'react';
import type { OperationResponse } from '../../api/api.ts';
import { usePages } from '../../api/queries.ts';
import type { FollowedAgentRun } from './agent-run.ts';

export type SubAgentRun = OperationResponse<'agent-executions.list'>['data'][number];

/** The runs inside of a run: those of its tool calls, and the others. */
export function useSubAgents(agentId: string, { executionId = '', parts, end }: FollowedAgentRun) {
  const calls = parts.filter((part) => part.kind === 'tool');
  const agentCalls = calls.filter(({ type }) => type === 'subagent');
  const over = agentCalls.filter(({ durationMs }) => durationMs !== undefined).length;
  const isBusy = !end && over < agentCalls.length;
  const request = { params: { id: agentId }, query: { parentExecutionId: executionId } };
  const options = { enabled: calls.length > 0, everyMs: isBusy && 2_000, limit: 100 };
  const pages = usePages('agent-executions.list', request, options);
  const { rows, refetch } = pages;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a short call begins and ends between two requests
  useEffect(() => {
    if (rows) refetch();
  }, [over, refetch]);
  const ids = new Set(calls.map(({ id }) => id));
  const ofCalls = Map.groupBy(rows ?? [], ({ parentToolCallId: id }) => (id && ids.has(id) ? id : ''));
  return { ...pages, of: (callId: string) => ofCalls.get(callId) ?? [], others: ofCalls.get('') ?? [] };
}
