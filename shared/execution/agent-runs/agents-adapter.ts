/**
 * The port through which flows and agents run agents: starts or resumes the inner run and waits for its answer.
 * The id of an inner run derives from the call, so a repeated call finds its run: one that has ended is replayed, one
 * whose process died is taken over and continued. It runs in the process of its parent, and stops with it.
 * An inner run whose tool asks for an approval suspends, and with it the run of an agent around it (`CallSuspended`): the call is
 * made again when nothing inside waits any more (`inside-waits.ts`). In a flow it cannot wait, and ends with an error. A failure
 * is an answer with `error`; only a parent that goes on elsewhere throws `RunLost`.
 */
import type { AgentRequest, AgentsPort } from '../../adapters/ports/agents-port.ts';
import type { Ports } from '../../adapters/ports/ports.ts';
import { noSpending } from '../../adapters/ports/spending.ts';
import { sandbox } from '../../adapters/sandbox/sandbox.ts';
import { beginNote } from '../../core/active-span.ts';
import { agentLevelsMax } from '../../core/agent-depth.ts';
import { ServiceError } from '../../core/errors/errors.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { agentVersions } from '../../domain/agents/agent-versions.ts';
import type { AgentConfig } from '../../domain/agents/config/agent-config.ts';
import { originInside, type ParentListing } from '../../domain/runs/run-origin.ts';
import type { OwnTools } from '../../domain/tools/own-tool-problems.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { LoopWait } from '../agent-loop/facts.ts';
import type { RunBudget } from '../agent-loop/run-budget.ts';
import { CallSuspended, type SuspendedCall } from '../agent-loop/tool-calls.ts';
import { toCallRunId } from '../batches/waiting-flows.ts';
import { addPayer } from '../model-calls/pipeline.ts';
import { type AgentExecution, agentExecutionEntity, isExecutionOver } from './agent-execution.ts';
import { agentToRun, inlineAgent, inlineContent } from './agent-input.ts';
import { nameOfVersion } from './agent-version-reader.ts';
import type { AgentRun, ExecuteOptions } from './execute-agent-run.ts';
import { isWaiting } from './inside-waits.ts';
import { type NumberedEvent, replayEvents } from './run-events.ts';
import { RunLost } from './run-journal.ts';
import { loadInput, loadRun } from './run-log.ts';
import { type AgentRunRequest, startRun } from './start-run.ts';
import { endRun } from './sweep-runs.ts';
import { acquireLease, appendFacts } from './take-run.ts';

export interface ParentRun
  extends Pick<AgentExecution, 'id' | 'rootAgentId' | 'depth' | 'userId' | 'organizationId' | 'surface'> {
  /** Whether it is itself a run of an agent, which looks after those inside of it. */
  isAgent: boolean;
  surfaceType: string;
  listing: ParentListing;
  background: boolean;
}

interface Inside {
  /** Those of the tenant: an agent counts its model calls itself. */
  ports: Ports;
  /** Of the parent, if it is a run of an agent. */
  budget?: RunBudget;
  streamed: boolean;
  /** Whether something around the parent cannot be suspended. */
  cannotWait?: true | undefined;
  /** Aborted when the parent goes on elsewhere. */
  stop?: AbortSignal;
  execute: (scope: Scope, run: AgentRun, options: ExecuteOptions) => AsyncIterable<NumberedEvent>;
}

export const agentsPort = (scope: Scope, parent: ParentRun, inside: () => Inside): AgentsPort => {
  /** What the next call of an agent runs. */
  const chosen = new Map<string, Chosen>();
  return {
    async versionOf(id) {
      const choice = agentVersions(scope).toRun(id, environment);
      chosen.set(id, choice);
      return nameOfVersion(choice);
    },

    async run(request) {
      if (parent.depth >= agentLevelsMax) {
        throw new StepError(`Agents run each other at most ${agentLevelsMax} levels deep`);
      }
      const { callId } = request;
      const id = callId ? toCallRunId(parent.id, callId) : scope.newId('exec');
      // A call of an agent is known by its execution.
      const note = parent.isAgent && callId ? undefined : beginNote({ k: 'a', id });
      const options = inside();
      try {
        const agent = typeof request.agent === 'string' ? request.agent : '';
        const version = chosen.get(agent);
        chosen.delete(agent);
        return { executionId: id, ...(await runToEnd(scope, parent, { ...request, id, version }, options)) };
      } catch (error) {
        // Cancelled by itself, or with this run, which then notices it at its next fact.
        if (error instanceof RunLost && !options.stop?.aborted)
          throw new StepError('The run of the agent was cancelled');
        throw error instanceof ServiceError ? new StepError(error.message) : error;
      } finally {
        note?.end();
      }
    },
  };
};

const environment = { environment: 'production' } as const;
type Chosen = ReturnType<ReturnType<typeof agentVersions>['toRun']>;
type Request = AgentRequest & { id: string; version: Chosen | undefined };

/** Goes on from the last fact. @throws CallSuspended if it waits for an approval inside of an agent */
async function runToEnd(scope: Scope, parent: ParentRun, request: Request, inside: Inside) {
  let waits: LoopWait[] = [];
  for await (const { event } of await openEvents(scope, parent, request, inside)) {
    if (event.type === 'text_delta') request.onText?.(event.delta);
    if (event.type === 'started') waits = [];
    if (event.type === 'awaiting') {
      const { kind, toolName } = event.wait;
      if (parent.isAgent && !request.cannotWait && kind !== 'output') {
        waits.push(event.wait);
        continue;
      }
      const what = kind !== 'output' ? 'an approval of' : 'its caller to execute';
      const error = `A sub-agent cannot wait for ${what} the tool ${toolName}; run the agent by itself`;
      await endRun(scope, request.id, { stopReason: 'error', error });
      return { output: null, error, spending: { ...noSpending, unpriced: 1 } };
    }
    if (event.type === 'ended') {
      const { warnings } = event.summary;
      const { output, stopReason } = event.end;
      const isUnpaid = stopReason === 'max_cost' && output === null;
      const error = isUnpaid ? 'The maxCost of the run is reached' : event.end.error;
      const { errorCode } = event.end;
      // Only the inner run counts its reasoning.
      const spending = { ...event.summary, reasoningTokens: 0 };
      return { output, error, errorCode, spending, warnings };
    }
  }
  if (waits.length > 0) throw new CallSuspended(toSuspended(request.id, waits));
  throw new Error('A run of an agent ended without its last event');
}

function toSuspended(runId: string, waits: readonly LoopWait[]): SuspendedCall {
  const until = waits.map((wait) => wait.until).toSorted()[0] ?? '';
  const { approvalId } = waits[0] ?? {};
  return { runId, until, ...(approvalId !== undefined && { approvalId }) };
}

async function openEvents(
  scope: Scope,
  parent: ParentRun,
  request: Request,
  { budget, streamed, stop, execute, ...inside }: Inside,
): Promise<AsyncIterable<NumberedEvent> | Iterable<NumberedEvent>> {
  const { id, agent, signal: callerSignal } = request;
  const ports = (request.payers ?? []).reduce(addPayer, inside.ports);
  const inherited = typeof agent === 'string' ? undefined : (agent.inherited as OwnTools);
  const cannotWait = inside.cannotWait ?? request.cannotWait ?? (parent.isAgent ? undefined : true);
  const options = {
    ports,
    budget,
    streamed,
    callerSignal,
    inherited,
    cannotWait,
    ...(stop && { stopSignal: stop }),
  };
  const stored = await scope.table.get(agentExecutionEntity, { id }, { consistent: true });
  if (!stored) return execute(scope, await startAgent(scope, parent, request), options);
  const run = await loadRun(scope, id);
  if (isExecutionOver(run.execution)) {
    budget?.charge(run.state.totals.cost);
    return replayEvents(run.execution, run.log, -1);
  }
  if (run.execution.status === 'paused') {
    if (await isWaiting(scope, run)) throw new CallSuspended(toSuspended(id, run.state.waits));
    const { run: continued } = await appendFacts(scope, run, [
      { type: 'continue', at: scope.now().toISOString() },
    ]);
    const paused = await loadInput(scope, run.execution);
    const sentBefore = run.log.at(-1)?.lastSeq ?? -1;
    return execute(scope, { ...continued, ...paused, sentSeq: sentBefore, mayHaveBegun: false }, options);
  }
  const holder = scope.newId('hold');
  await acquireLease(scope, run, holder);
  const execution = { ...run.execution, holder, restarts: run.execution.restarts + 1 };
  const loaded = await loadInput(scope, execution);
  const sentSeq = run.log.at(-1)?.lastSeq ?? -1;
  return execute(
    scope,
    { ...run, ...loaded, execution, sentSeq, mayHaveBegun: true, isTakenOver: true },
    options,
  );
}

async function startAgent(scope: Scope, parent: ParentRun, request: Request): Promise<AgentRun> {
  const { agent: asked, id, message, timeoutMs, callId: parentToolCallId } = request;
  const isStored = typeof asked === 'string';
  const agent = isStored
    ? await agentToRun(scope)(asked, environment, request.version)
    : inlineAgent(asked.name, inlineContent(asked.config as AgentConfig));
  const runRequest: AgentRunRequest = {
    id,
    agent,
    timeoutMs,
    parent,
    parentToolCallId,
    owner: parent,
    permissions: [],
    surfaceType: parent.surfaceType,
    surface: parent.surface,
    origin: originInside(request.parent ?? parent.listing),
    background: parent.background,
    messages: [{ role: 'user', content: message }],
    ...(!isStored && { system: asked.system ?? '' }),
  };
  return startRun(scope, runRequest, sandbox(scope));
}
