import { ifMissing, notFound } from '../../../core/errors/errors.ts';
import { agentVersions } from '../../../domain/agents/agent-versions.ts';
import type { AgentContent } from '../../../domain/agents/config/agent.ts';
import { payloadReader } from '../../../platform/data/payloads.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import type { Fact } from '../../agent-loop/facts.ts';
import { apply, type RunState, replay } from '../../agent-loop/state.ts';
import { type AgentExecution, agentExecutionEntity } from '../executions/agent-execution.ts';
import type { RunInput } from '../input/run-input.ts';
import { type LogEntry, runLogReader } from './run-log.ts';

export interface TakenRun {
  execution: AgentExecution;
  log: readonly LogEntry[];
  /** The number of the last event that readers have got; -1 for a new run. */
  sentSeq: number;
  /** Whether an earlier process may have begun the open calls. */
  mayHaveBegun: boolean;
  /** Whether an earlier process may have sent events that are not in the log. */
  isTakenOver?: boolean;
}

export interface LoadedRun {
  execution: AgentExecution;
  log: readonly LogEntry[];
  /** Without its messages, which only the process that runs it needs. */
  state: RunState;
}

export const logFacts = (log: readonly LogEntry[]): Fact[] => log.map(({ fact }) => fact);

/** @throws 404 if there is no such execution. */
export async function findExecution({ table }: Pick<Scope, 'table'>, id: string): Promise<AgentExecution> {
  const execution = await table.get(agentExecutionEntity, { id }, { consistent: true });
  if (!execution) throw notFound('Execution');
  return execution;
}

/** @throws 404 */
export async function loadRun(scope: Scope, id: string): Promise<LoadedRun> {
  const [execution, log] = await Promise.all([findExecution(scope, id), runLogReader(scope).read(id)]);
  return { execution, log, state: replay([], logFacts(log)) };
}

/** A run with the facts that were recorded since it was loaded. @throws 404 */
export async function reloadRun(
  scope: Scope,
  { execution: { id }, log, state }: LoadedRun,
): Promise<LoadedRun> {
  const [execution, more] = await Promise.all([
    findExecution(scope, id),
    runLogReader(scope).read(id, log.at(-1)?.n),
  ]);
  return { execution, log: [...log, ...more], state: logFacts(more).reduce(apply, state) };
}

/** What a run was started with. @throws 404 if its agent was deleted. */
export async function loadInput(
  scope: Scope,
  { agentId, agentVersionId, spec, input }: AgentExecution,
): Promise<{ content: AgentContent; input: RunInput }> {
  const payloads = payloadReader(scope);
  const [content, given] = await Promise.all([
    spec
      ? (payloads.fetch(spec) as Promise<AgentContent>)
      : agentVersions(scope)
          .get(agentId ?? '', agentVersionId ?? '')
          .catch(ifMissing(undefined)),
    payloads.fetch(input) as Promise<RunInput>,
  ]);
  if (!content) throw notFound('Agent');
  return { content, input: given };
}
