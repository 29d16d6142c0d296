import { sandbox } from '../../adapters/sandbox/sandbox.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { type AgentExecution, agentExecutionEntity, isOver } from './agent-execution.ts';
import { agentToRun } from './agent-to-run.ts';
import { endRun } from './end-run.ts';
import type { Run } from './execute.ts';
import { loadInput, loadRun } from './load-run.ts';
import { replayEvents } from './replay-events.ts';
import type { NumberedEvent } from './run-event.ts';
import { startRun } from './start-run.ts';
import type { SubRun, SubRunEnd } from './sub-agents.ts';
import { takeOver } from './take-run.ts';

type Execute = (run: Run, callerSignal: AbortSignal) => AsyncIterable<NumberedEvent>;

/**
 * Runs a sub-agent to its end. One that was interrupted goes on from its last fact. A sub-agent that has to wait for
 * somebody fails: only the run that its caller sees can wait. @throws ServiceError, StepError if it cannot be run
 */
export async function runSubAgent(
  scope: Scope,
  parent: AgentExecution,
  subRun: SubRun,
  execute: Execute,
): Promise<SubRunEnd> {
  const spent = { inputTokens: 0, outputTokens: 0, cost: null };
  for await (const { event } of await eventsOf(scope, parent, subRun, execute)) {
    if (event.type === 'text_delta') subRun.onText(event.delta);
    if (event.type === 'awaiting') {
      const { kind, toolName } = event.wait;
      const what = kind === 'approval' ? 'an approval of' : 'its caller to execute';
      const error = `A sub-agent cannot wait for ${what} the tool ${toolName}; run the agent by itself`;
      await endRun(scope, subRun.id, { stopReason: 'error', error });
      return { output: null, error, spent };
    }
    if (event.type === 'ended') {
      const { inputTokens, outputTokens, cost } = event.summary;
      return { ...event.end, spent: { inputTokens, outputTokens, cost } };
    }
  }
  throw new Error('A run of a sub-agent ended without its last event');
}

async function eventsOf(
  scope: Scope,
  parent: AgentExecution,
  subRun: SubRun,
  execute: Execute,
): Promise<AsyncIterable<NumberedEvent> | Iterable<NumberedEvent>> {
  const { id, signal } = subRun;
  const known = await scope.table.get(agentExecutionEntity, { id }, { consistent: true });
  if (!known) return execute(await started(scope, parent, subRun), signal);
  const run = await loadRun(scope, id);
  if (isOver(run.execution)) return replayEvents(run.execution, run.log, -1);
  const holder = scope.newId('turn');
  await takeOver(scope, run, holder);
  const given = await loadInput(scope, run.execution);
  const execution = { ...run.execution, holder };
  const toldSeq = run.log.at(-1)?.lastSeq ?? -1;
  return execute({ ...run, ...given, execution, toldSeq, mayHaveBegun: true }, signal);
}

async function started(scope: Scope, parent: AgentExecution, subRun: SubRun): Promise<Run> {
  const { id, message, system, timeoutMs } = subRun;
  const agent =
    typeof subRun.agent === 'string'
      ? await agentToRun(scope)(subRun.agent, { environment: 'production' })
      : subRun.agent;
  const { execution, input } = await startRun(
    scope,
    {
      ...{ id, agent, system, timeoutMs, parent, owner: parent, permissions: [] },
      messages: [{ role: 'user', content: message }],
      ...{ surfaceType: parent.surfaceType, background: parent.background },
    },
    sandbox(scope),
  );
  const { content } = agent;
  return { execution, content, input, log: [], toldSeq: -1, mayHaveBegun: false };
}
