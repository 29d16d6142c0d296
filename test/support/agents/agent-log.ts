import {
  type AgentExecution,
  agentExecutionEntity,
} from '../../../shared/execution/agent-runs/agent-execution.ts';
import type { Scope } from '../../../shared/platform/data/scope.ts';

/** A run of an agent as the table has it, without a process and an agent. */
export async function newAgentExecution({ table, newId, now }: Scope): Promise<AgentExecution> {
  const at = now().toISOString();
  const execution: AgentExecution = {
    id: newId('exec'),
    agentId: newId('agent'),
    agentName: 'Any',
    agentVersionId: null,
    agentSource: 'native',
    parentExecutionId: null,
    rootAgentId: null,
    isInAgent: false,
    depth: 0,
    surfaceType: 'api',
    turnsMax: 6,
    userId: 'user',
    organizationId: null,
    permissions: [],
    background: false,
    status: 'running',
    stopReason: null,
    error: null,
    startedAt: at,
    completedAt: null,
    iterations: null,
    inputTokens: null,
    outputTokens: null,
    totalCost: null,
    timeoutMs: 60_000,
    activeMs: 0,
    restarts: 0,
    holder: newId('hold'),
    // Sweeps of other tests look an hour ahead, at all tenants.
    leaseUntil: new Date(now().getTime() + 86_400_000).toISOString(),
    input: { inline: '{}' },
    spec: null,
    isLogged: true,
  };
  await table.commit([table.writes.insert(agentExecutionEntity, execution)]);
  return execution;
}
