import type { SpanStatus } from '../../domain/runs/trace.ts';
import type { AgentExecution } from '../agent-runs/agent-execution.ts';
import { omitEmpty } from './attributes.ts';
import type { SpanNode } from './span-node.ts';

const statuses: Record<string, SpanStatus> = {
  running: 'running',
  scheduled: 'waiting',
  paused: 'waiting',
  completed: 'ok',
  success: 'ok',
  failed: 'error',
  cancelled: 'error',
};

export interface RunToTrace {
  id: string;
  name: string;
  kind: 'batch' | 'flow' | 'agent' | 'tool';
  status: string;
  startedAt: string;
  completedAt?: string | null | undefined;
  stopReason?: string | null | undefined;
  totalCost?: string | null | undefined;
}

/** The first span of a run. */
export function toRunSpan(
  run: RunToTrace,
  attributes: Record<string, unknown>,
  children: SpanNode[],
): SpanNode {
  const { id, name, kind, status, startedAt, completedAt, stopReason, totalCost } = run;
  const shown = statuses[status] ?? 'running';
  return {
    runId: id,
    path: '',
    name,
    kind: 'run',
    status: shown,
    start: Date.parse(startedAt),
    end: completedAt ? Math.max(Date.parse(startedAt), Date.parse(completedAt)) : null,
    attributes: omitEmpty({
      'run.id': id,
      'run.kind': kind,
      'run.stop_reason': stopReason ?? undefined,
      'run.cost_usd': totalCost ?? undefined,
      ...attributes,
      'error.type': shown === 'error' ? (status === 'cancelled' ? 'cancelled' : 'run_failed') : undefined,
    }),
    children,
  };
}

export function toAgentSpan(execution: AgentExecution, children: SpanNode[]): SpanNode {
  const { id, agentId, agentName: name, inputTokens, outputTokens } = execution;
  const span = toRunSpan({ ...execution, name, kind: 'agent' }, {}, children);
  return {
    ...span,
    attributes: {
      ...span.attributes,
      ...omitEmpty({
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.id': agentId ?? undefined,
        'gen_ai.agent.name': name,
        'gen_ai.usage.input_tokens': inputTokens ?? undefined,
        'gen_ai.usage.output_tokens': outputTokens ?? undefined,
        'run.id': id,
      }),
    },
  };
}
