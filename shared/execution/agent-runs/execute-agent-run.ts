/**
 * Executes an agent's run in this process, from its log to its end or its next wait, and yields its events.
 * `executeAgentRun` prepares what differs by agent (ports of its depth and payers, budget, credentials, tools, inner
 * agents) and settles the budgets before the end is shown; `runAgent` is the protocol: keep the lease, replay what was
 * not sent, run the loop, record each fact before its events are shown.
 * It stops when the lease is lost or the process must stop (`RunLost`; the run goes on elsewhere), and ends the run at a
 * timeout, a failure or when its caller leaves, unless it runs in the background.
 * After a crash the lease expires, and `background-run.ts` continues the run; runs in front of a caller are ended by the
 * sweep (`sweep-runs.ts`).
 */
import type { AgentsPort } from '../../adapters/ports/agents-port.ts';
import type { ModelMessage } from '../../adapters/ports/model-port.ts';
import type { Ports } from '../../adapters/ports/ports.ts';
import { type ActiveSpan, iterateInSpan, openSpan, runInSpan } from '../../core/active-span.ts';
import { anySignal } from '../../core/concurrency/abort.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { measure } from '../../core/invocation.ts';
import { log } from '../../core/log.ts';
import { type Note, notesMax } from '../../core/note.ts';
import { toTracedRun } from '../../core/trace-context.ts';
import type { AgentContent } from '../../domain/agents/config/agent.ts';
import { agentCredentials } from '../../domain/agents/credentials/agent-credentials.ts';
import type { Message } from '../../domain/conversations/message.ts';
import type { OwnTools } from '../../domain/tools/own-tool-problems.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { joinSummary } from '../agent-loop/compaction.ts';
import type { EndFact, Fact, TurnFact } from '../agent-loop/facts.ts';
import { runLoop } from '../agent-loop/loop.ts';
import { BudgetSpent, enforceRunBudget, openBudget, type RunBudget } from '../agent-loop/run-budget.ts';
import { endFact, type RunState, replay } from '../agent-loop/state.ts';
import { agentPath } from '../agent-loop/tool-calls.ts';
import { toCallRunId, waitingFlows } from '../batches/waiting-flows.ts';
import { settleBudgets } from '../model-calls/budget-accounts.ts';
import { addPayer } from '../model-calls/pipeline.ts';
import { arrangeMessages, toModelMessages } from '../model-calls/to-model-messages.ts';
import { RunCancelled } from '../runs/execution.ts';
import { AttemptsFailed } from '../step-support/attempts.ts';
import { letFlowsWait, setParentRun, setPortsDepth } from '../step-support/ports-at-depth.ts';
import { toAgentListing } from './agent-execution.ts';
import { isDelegated, type RunInput, toRunnableConfig } from './agent-input.ts';
import { callsMaxDefault, isCodeLost, openAgentTools, openCodeCalls } from './agent-tools.ts';
import { agentsPort } from './agents-adapter.ts';
import { chatHistory } from './chat-history.ts';
import { cancelInsideIfOver, continueIfAnswered, insideCanceller } from './inside-waits.ts';
import { openLiveOutput } from './live-output.ts';
import { type OpenedLoop, openLoop } from './open-loop.ts';
import { type NumberedEvent, replayEvents } from './run-events.ts';
import { type AlsoAtEnd, forgetIfDeleted, openJournal, RunLost } from './run-journal.ts';
import { logFacts, type TakenRun } from './run-log.ts';
import { keepLease } from './take-run.ts';

export interface AgentRun extends TakenRun {
  content: AgentContent;
  input: RunInput;
}

export interface ExecuteOptions
  extends Pick<RunContext, 'callerSignal' | 'stopSignal' | 'requestId' | 'isUnread' | 'alsoAtEnd'> {
  ports: Ports;
  budget?: RunBudget | undefined;
  /** For a spawned agent: the tools of the one that spawned it. */
  inherited?: OwnTools | undefined;
  /** Whether something around it cannot be suspended. */
  cannotWait?: true | undefined;
  streamed: boolean;
}

export async function* executeAgentRun(
  scope: Scope,
  { content, input, ...taken }: AgentRun,
  options: ExecuteOptions,
): AsyncGenerator<NumberedEvent, void> {
  const { streamed, budget: outer, inherited, cannotWait, ...signals } = options;
  const { execution } = taken;
  const atDepth = setPortsDepth(options.ports, execution.depth);
  const { agentId: id } = execution;
  const ports = id === null ? atDepth : addPayer(atDepth, { type: 'agent', id });
  const config = toRunnableConfig(content);
  const state = replay([], logFacts(taken.log));
  const budget = openBudget(config.loopConfig?.maxCost, state.totals.cost, outer);
  const codeCalls = openCodeCalls(state);
  if (taken.mayHaveBegun && isCodeLost(state))
    codeCalls.add(undefined, config.tools?.maxToolCalls ?? callsMaxDefault);
  async function openAgentLoop(agents: AgentsPort, signal: AbortSignal) {
    const isExternal = content.agentType === 'external';
    const called = { config, externalConfig: isExternal ? content.externalConfig : null };
    const { mcpServers, externalConfig, warnings } = await agentCredentials(scope)(execution.agentId, called);
    const isDelegate = isDelegated(content);
    return openLoop(scope, { config, capabilities: content.capabilities }, input, {
      isStoredInside: (callId) => waitingFlows(scope).isStored(toCallRunId(execution.id, callId)),
      ports: setParentRun(
        letFlowsWait({ ...enforceRunBudget(ports, budget), agents }, !cannotWait),
        toAgentListing(execution),
      ),
      budget,
      codeCalls,
      streamed,
      signal,
      externalConfig: isDelegate ? externalConfig : null,
      chatHistory: input.history && chatHistory(scope, input.history, input.messages),
      async openTools(context) {
        const skills = isDelegate ? null : externalConfig;
        const profile = { profile: input.profile, skills, mcpServers, inherited, signal };
        const { clientTools } = input;
        const toolContext = { ...context, ...profile, clientTools };
        const opened = await openAgentTools(config, content.capabilities, toolContext);
        return { ...opened, warnings: [...warnings, ...opened.warnings] };
      },
    });
  }

  const events = runAgent(scope, taken, {
    ...signals,
    async open({ signal, stop }) {
      // Nobody sees what the agents inside say, unless a caller does.
      const isShown = streamed && !signals.isUnread;
      const getInside = () => ({
        ports,
        budget,
        streamed: isShown,
        cannotWait,
        stop,
        execute: executeAgentRun,
      });
      const agents = agentsPort(
        scope,
        { ...execution, isAgent: true, listing: toAgentListing(execution) },
        getInside,
      );
      const [loop, messages] = await Promise.all([
        openAgentLoop(agents, signal),
        toModelMessages(ports, toMessages(input), signal),
      ]);
      return { ...loop, messages: insertSummary(messages, input.history?.summary) };
    },
  });
  let hasPaused = false;
  for await (const numbered of events) {
    if (numbered.event.type === 'ended') await settleBudgets(scope);
    hasPaused ||= numbered.event.type === 'awaiting' && numbered.event.wait.kind === 'inside';
    yield numbered;
  }
  // What is inside may have been answered before this run said that it waits.
  if (hasPaused && !execution.isInAgent) await continueIfAnswered(scope, execution.id);
}

/** What stands in for the messages that a run began with, where no model is asked. */
export const toPlaceholders = (input: RunInput): ModelMessage[] =>
  insertSummary(arrangeMessages(toMessages(input)), input.history?.summary);

const toMessages = ({ system, history, messages }: RunInput): Message[] => [
  ...[system, history?.instructions ?? ''].map((content) => ({ role: 'system' as const, content })),
  ...messages,
];

/** After the system prompt, if there is one, the summary of what the messages leave out. */
function insertSummary(messages: ModelMessage[], summary: string | undefined): ModelMessage[] {
  if (summary === undefined) return messages;
  const isSystem = messages[0]?.role === 'system';
  const [head, recent] = isSystem ? [messages.slice(0, 1), messages.slice(1)] : [[], messages];
  return joinSummary({ head, recent }, summary);
}

interface RunSignals {
  /** Aborted when the run ends in this process. */
  signal: AbortSignal;
  /** Aborted when the run goes on elsewhere. */
  stop: AbortSignal;
}

interface RunContext {
  /** Opens the loop, and the messages that the run began with. */
  open: (signals: RunSignals) => Promise<OpenedLoop & { messages: readonly ModelMessage[] }>;
  /** Aborted when the caller is gone, which cancels the run. */
  callerSignal?: AbortSignal;
  /** Aborted when the process has to stop. The run goes on elsewhere. */
  stopSignal?: AbortSignal;
  requestId?: string;
  /** Whether nobody reads the events here. */
  isUnread?: boolean;
  alsoAtEnd?: AlsoAtEnd | undefined;
}

/**
 * Runs an agent from the state that its log has, and yields its events. Each fact is recorded before the run goes on,
 * and before its readers see it. Leaving the loop cancels the run, unless it runs in the background.
 */
export async function* runAgent(
  scope: Scope,
  taken: TakenRun,
  context: RunContext,
): AsyncGenerator<NumberedEvent, void> {
  const { execution, log: entries, sentSeq, mayHaveBegun } = taken;
  const { callerSignal, stopSignal, requestId } = context;
  const { timeoutMs, background } = execution;
  const journal = openJournal(scope, taken, context.alsoAtEnd);
  const liveOutput = openLiveOutput(scope, execution, journal, context.isUnread ?? false);
  const lease = keepLease(scope, execution, execution.holder, liveOutput.updateFollowers);
  const timeout = AbortSignal.timeout(Math.max(1, timeoutMs - execution.activeMs));
  const left = new AbortController();
  const stop = anySignal(lease.lost, stopSignal);
  const signal = anySignal(stop, timeout, left.signal, callerSignal);
  const run = toTracedRun(execution.id, execution.startedIn);
  const span = openSpan(run, agentPath, Date.parse(execution.startedAt));
  let opened: OpenedLoop | undefined;
  const record = async (facts: readonly Fact[]) => {
    await liveOutput.settle();
    const calls = opened?.takeCalls() ?? [];
    return (await journal.record(attachNotes(facts, span), { calls })).events;
  };
  const addSpent = (end: EndFact): EndFact => (opened ? { ...end, spent: opened.loop.spent() } : end);
  try {
    yield* replayEvents(execution, entries, sentSeq);
    const { messages, ...open } = await runInSpan(span, () => context.open({ signal, stop }));
    opened = open;
    const loop = runLoop(open.loop, journal.load(messages), mayHaveBegun);
    for await (const event of iterateInSpan(span, loop)) {
      if (event.type === 'facts') yield* await record(event.facts);
      else yield* liveOutput.show(event);
    }
  } catch (error) {
    if (error instanceof RunLost || stop.aborted) {
      await cancelInsideIfOver(scope, execution.id, journal.state());
      await forgetIfDeleted(scope, execution);
      throw new RunLost(String(error));
    }
    const isOwnFault = !(error instanceof StepError || timeout.aborted || callerSignal?.aborted);
    // The worker gets it again.
    if (background && isOwnFault) throw error;
    const goesOn = opened?.loop.errorHandling?.onError === 'continue';
    const interruption = { error, callerSignal, timeout, timeoutMs, requestId, goesOn };
    yield* await record([addSpent(endAfter(interruption, journal.state(), scope.now()))]);
  } finally {
    lease.release();
    liveOutput.close();
    left.abort();
    const { end, waits } = journal.state();
    const isLeft = !end && waits.length === 0 && !stop.aborted && !background;
    if (isLeft) {
      await record([addSpent(createDisconnectEnd(journal.state(), scope.now()))]).catch((error) => {
        if (error instanceof RunLost) return forgetIfDeleted(scope, execution);
        log.error('The end of a run could not be recorded', { error });
      });
    }
    // Side by side with what has ended the run, a flow may have come to wait.
    if (journal.state().end)
      await insideCanceller(scope)(execution.id, journal.state()).catch((error) =>
        log.error('A flow that an ended run left waiting could not be cancelled', { error }),
      );
  }
}

/** Why a run ended otherwise than by its loop. */
interface Interruption {
  error: unknown;
  callerSignal: AbortSignal | undefined;
  timeout: AbortSignal;
  timeoutMs: number;
  requestId: string | undefined;
  /** Whether the failure of a model is no failure of the run. */
  goesOn: boolean;
}

function endAfter(
  { error, callerSignal, timeout, timeoutMs, requestId, goesOn }: Interruption,
  state: RunState,
  at: Date,
): EndFact {
  if (callerSignal?.aborted) return createDisconnectEnd(state, at, callerSignal.reason);
  if (timeout.aborted) {
    return endFact(
      state,
      { stopReason: 'timeout', error: `The run exceeded its time limit of ${timeoutMs / 1_000} s` },
      at,
    );
  }
  if (error instanceof BudgetSpent) return endFact(state, { stopReason: 'max_cost', error: null }, at);
  if (error instanceof StepError) {
    const { code, message } = error;
    const ended = endFact(state, { stopReason: 'error', error: goesOn && !code ? null : message }, at);
    const end = code ? { ...ended, errorCode: code } : ended;
    return error instanceof AttemptsFailed ? { ...end, attempts: error.attempts } : end;
  }
  log.error('A run of an agent failed', { error });
  measure('RunsFailed');
  const report = requestId ? `; report the request id ${requestId}` : '';
  return endFact(
    state,
    { stopReason: 'error', error: `The run failed because of an internal error${report}` },
    at,
  );
}

/** @param reason Why its caller is gone, which may be a run that somebody has cancelled. */
const createDisconnectEnd = (state: RunState, at: Date, reason?: unknown): EndFact => {
  const isCancelled = reason instanceof RunCancelled;
  const error = isCancelled ? 'The run around it was cancelled' : 'The caller disconnected';
  return endFact(state, { stopReason: 'cancelled', error }, at);
};

const taking: readonly Fact['type'][] = ['turn', 'context', 'compaction', 'end'];

/** Moves the notes of the span to the first fact that takes them: the model calls before and of a turn, or of one that failed. */
function attachNotes(facts: readonly Fact[], span: ActiveSpan): readonly Fact[] {
  const at = facts.findIndex(({ type }) => taking.includes(type));
  if (at < 0) return facts;
  const notes = span.notes.splice(0);
  span.room.left = notesMax;
  return facts.map((fact, index) => (index === at ? addNotes(fact, notes) : fact));
}

function addNotes(fact: Fact, notes: readonly Note[]): Fact {
  if (notes.length === 0) return fact;
  return fact.type === 'turn' && !fact.attempts && notes.length === 1
    ? addFirstMs(fact, notes[0])
    : ({ ...fact, notes } as Fact);
}

/** A turn tells all else about its only call of a model. */
const addFirstMs = (fact: TurnFact, { f: firstMs }: Partial<Note> = {}): TurnFact =>
  firstMs === undefined ? fact : { ...fact, firstMs };
