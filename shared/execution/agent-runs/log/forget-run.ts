import { payloadRemover } from '../../../platform/data/payloads.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import { exists } from '../../../platform/data/writes.ts';
import { type AgentExecution, agentExecutionEntity } from '../executions/agent-execution.ts';
import type { RunInput } from '../input/run-input.ts';
import { afterPieces } from '../pieces.ts';
import { logRange } from './run-log.ts';

const nothing: RunInput = { messages: [], system: '', profile: '' };

/** Deletes what was said in a run: its messages, outputs and tool calls. Its totals stay. */
export async function forgetRun(scope: Scope, execution: AgentExecution): Promise<void> {
  const { table } = scope;
  await removeSaid(scope, execution);
  const set = { input: { inline: JSON.stringify(nothing) }, spec: null };
  await table.commit([table.writes.update(agentExecutionEntity, { id: execution.id }, { set }, exists)]);
}

/** Deletes what the process of a run recorded after the agent was deleted, and the run with it. */
export async function forgetIfDeleted(scope: Scope, execution: AgentExecution): Promise<void> {
  const { id } = execution;
  const current = await scope.table.get(agentExecutionEntity, { id }, { consistent: true });
  if (!current) await removeSaid(scope, execution);
}

async function removeSaid(scope: Scope, { id, input, spec }: AgentExecution): Promise<void> {
  const { table } = scope;
  const items = await table.queryAll({ ...logRange(id), to: afterPieces, consistent: true });
  const pointers = [input, spec, ...items.map(({ fact }) => fact)].flatMap((value) =>
    value && typeof value === 'object' && 'pointer' in value ? [String(value.pointer)] : [],
  );
  await Promise.all([table.removeAll(items), payloadRemover().remove(pointers)]);
}
