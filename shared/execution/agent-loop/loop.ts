/**
 * The loop of an agent: ask the model, run the tools that it requests, repeat with their results, until it ends or
 * waits.
 * `runLoop` is a generator over a pure state. It yields facts, and goes on only when its consumer has asked for the next
 * event: the consumer records each fact first (`agent-runs/run-journal.ts`). So the log always has what the run has
 * done, and the state follows from it alone (`state.ts`).
 * Order of a round: run or plan the open calls, pause if some wait for an approval or the caller; else decide
 * (`decideNext`) between a turn, a reminder and the end; before a turn, `beforeTurn` adds its facts (context,
 * reflection, compaction) or stops for the budget.
 * The last turn and the end are recorded together. After a crash the calls of the last turn are open: repeatable tools
 * run again, others fail with an unknown outcome (`mayHaveBegun`).
 * The same loop runs the agents of `agent-runs` and the tools of prompt steps (`steps/prompt.ts`).
 */
import { coerceValue } from '../../adapters/json-schema/meant-value.ts';
import type { ModelPort, ModelRequest, ModelResponse } from '../../adapters/ports/model-port.ts';
import type { Ports } from '../../adapters/ports/ports.ts';
import type { NewId } from '../../core/ids.ts';
import type { NewWarning } from '../../core/warnings.ts';
import type { ErrorHandling } from '../../domain/flows/steps/error-handling.ts';
import type { RunnableTool } from '../tools/call-tool.ts';
import { type AskedResponse, askModel, type ModelDelta } from './ask-model.ts';
import type { EndFact, Fact, LoopWait, NoteFact, RequestedCall, StopReason, TurnFact } from './facts.ts';
import { apply, endFact, type RunState } from './state.ts';
import {
  type CallEvent,
  findCallRefusal,
  findTool,
  findUnfitReason,
  planCalls,
  runCalls,
  type SuspendedCall,
  type ToolCallsContext,
  toFailedCallResult,
} from './tool-calls.ts';

export interface Loop extends ToolCallsContext {
  model: ModelPort;
  request: Omit<ModelRequest, 'messages' | 'tools' | 'toolChoice' | 'signal'>;
  /** Whether the model may, must (in the first turn) or must not call tools. Default: `auto`. */
  toolChoice?: 'auto' | 'required' | 'none' | undefined;
  /** The most turns. Default: as many as the tool calls need. */
  turnsMax?: number | undefined;
  /** Tools that must have been called before the run ends, by name or id. */
  requiredTools?: readonly string[] | undefined;
  errorHandling?: ErrorHandling | undefined;
  /** Whether an empty answer after calls of tools, which may have done all, is an end. Default: it is a failure. */
  mayEndEmpty?: boolean | undefined;
  /** Whether the run of a call was stored when it came to wait: made again, the call goes on with it. */
  isStoredInside?: ((callId: string) => Promise<boolean>) | undefined;
  /** How long a call waits for its approval, and for the output of the caller. */
  waitMs?: Readonly<Record<'approval' | 'output', number>> | undefined;
  /** What is done before each turn: facts to record first, the size of the input, or a reason to stop. */
  beforeTurn?: ((state: RunState) => Promise<BeforeTurn>) | undefined;
  /** Checks the last response. A problem is told to the model once; then the run fails. */
  checkAnswer?: ((text: string) => Promise<{ value: unknown } | { problem: string }>) | undefined;
  newId: NewId;
  warn: Ports['warn'];
}

export interface BeforeTurn {
  facts?: readonly Fact[];
  inputTokens?: number | undefined;
  stop?: StopReason;
}

export type LoopEvent =
  | { type: 'turn-started'; turn: number; turnId: string }
  | Exclude<ModelDelta, { type: 'tool-call' | 'tool-call-delta' }>
  /** With the id of the call in the run, and the type of its tool. */
  | (Extract<ModelDelta, { type: 'tool-call' | 'tool-call-delta' }> & { toolType: string })
  | Extract<CallEvent, { type: 'tool-event' }>
  /** Record them before you ask for the next event: the run relies on it. */
  | { type: 'facts'; facts: readonly Fact[] };

/** What a reader may see before a fact holds it. */
export type ModelOutputEvent = Exclude<LoopEvent, { type: 'facts' }>;

/**
 * Asks the model, runs the tools that it requests, and repeats with their results until it requests none, a limit is
 * reached, or the run has to wait. A failed tool call is a result too.
 * @returns the state at the end, which has an `end` or `waits`.
 * @param mayHaveBegun Whether an earlier process may have begun the open calls of the state.
 * @throws StepError if the model fails.
 */
export async function* runLoop(
  loop: Loop,
  from: RunState,
  mayHaveBegun = false,
): AsyncGenerator<LoopEvent, RunState> {
  let state = from;
  async function* record(...facts: Fact[]): AsyncGenerator<LoopEvent, void> {
    if (facts.length === 0) return;
    yield { type: 'facts', facts };
    state = facts.reduce(apply, state);
  }
  for (let isFirst = true; !state.end; isFirst = false) {
    if (state.open.length > 0) {
      const suspended = new Map<string, SuspendedCall>();
      yield* openCalls(loop, state, { mayHaveBegun: isFirst && mayHaveBegun, suspended }, record);
      const waits = collectWaits(loop, state, suspended);
      if (waits.length === 0) continue;
      if (!isSameWait(state.waits, waits)) yield* record({ type: 'pause', waits, at: toTimestamp(loop) });
      return state;
    }
    const step = decideNext(loop, state);
    if (step.do === 'end') yield* record(await checkEnd(loop, state, step.stopReason));
    else if (step.do === 'remind') yield* record(createNote(loop, 'required-tool', step.text));
    else {
      const { facts = [], inputTokens, stop } = (await loop.beforeTurn?.(state)) ?? {};
      yield* record(...facts);
      if (stop) yield* record(createEnd(loop, state, stop));
      else {
        const turn = yield* takeTurn(loop, state, step.toolChoice, inputTokens);
        const after = apply(state, turn);
        const following = turn.calls.length === 0 ? decideNext(loop, after) : undefined;
        // The last response and the end are recorded together.
        const ending = following?.do === 'end' && (await checkEnd(loop, after, following.stopReason));
        yield* record(turn, ...(ending ? [ending] : []));
      }
    }
  }
  return state;
}

async function* openCalls(
  loop: Loop,
  state: RunState,
  { mayHaveBegun, suspended }: { mayHaveBegun: boolean; suspended: Map<string, SuspendedCall> },
  record: (...facts: Fact[]) => AsyncGenerator<LoopEvent, void>,
): AsyncGenerator<LoopEvent, void> {
  const open = state.open.filter(({ id }) => !state.results.has(id));
  const left = await Promise.all(
    open.map(async (call) => {
      const mayBeLost = mayHaveBegun && !(await loop.isStoredInside?.(call.id));
      const plan = planCalls(call, loop, state.decisions.get(call.id), mayBeLost);
      const isOutput = 'waitFor' in plan && plan.waitFor === 'output';
      const unfit = isOutput && (await findUnfitReason(call, loop));
      return { call, plan: unfit ? { fail: unfit } : plan };
    }),
  );
  yield* record(
    ...left.flatMap(({ call, plan }) =>
      'fail' in plan ? [toFailedCallResult(call, plan.fail, loop.now)] : [],
    ),
  );
  const runnable = left.flatMap(({ call, plan }) => ('run' in plan ? [{ call, tool: plan.run }] : []));
  if (runnable.length === 0) return;
  for await (const event of runCalls(runnable, loop)) {
    if (event.type === 'results') yield* record(...event.results);
    else if (event.type === 'suspended') suspended.set(event.callId, event.wait);
    else yield event;
  }
}

const collectWaits = (
  loop: Loop,
  state: RunState,
  suspended: ReadonlyMap<string, SuspendedCall>,
): LoopWait[] =>
  state.open
    .filter(({ id }) => !state.results.has(id))
    .flatMap((call): LoopWait[] => {
      const asked = { toolName: call.name, parameters: call.input };
      const inside = suspended.get(call.id);
      if (inside) return [{ kind: 'inside', callId: call.id, ...inside, ...asked, since: toTimestamp(loop) }];
      const plan = planCalls(call, loop, state.decisions.get(call.id), false);
      if (!('waitFor' in plan)) return [];
      const { waitFor: kind } = plan;
      const until = new Date(loop.now().getTime() + (loop.waitMs?.[kind] ?? 0)).toISOString();
      const approval = kind === 'approval' && { approvalId: loop.newId('appr') };
      return [{ kind, callId: call.id, ...approval, ...asked, since: toTimestamp(loop), until }];
    });

/** Whether the run is recorded as waiting for these calls: it was given back to wait for the others. */
const isSameWait = (before: readonly LoopWait[], waits: readonly LoopWait[]): boolean =>
  before.length > 0 && waits.every(({ callId }) => before.some((wait) => wait.callId === callId));

const toTimestamp = ({ now }: Loop) => now().toISOString();

const createNote = (loop: Loop, reason: NoteFact['reason'], text: string): NoteFact => ({
  type: 'note',
  reason,
  text,
  at: toTimestamp(loop),
});

async function checkEnd(loop: Loop, state: RunState, stopReason: StopReason): Promise<EndFact | NoteFact> {
  const end = createEnd(loop, state, stopReason);
  if (!loop.checkAnswer || stopReason !== 'end_turn') return end;
  const checked = await loop.checkAnswer(state.lastTurn?.text ?? '');
  if ('value' in checked) return { ...end, output: checked.value };
  if (!state.isCorrected) return createNote(loop, 'correction', checked.problem);
  return { ...end, stopReason: 'error', error: checked.problem };
}

const createEnd = ({ now }: Loop, state: RunState, stopReason: StopReason): EndFact =>
  endFact(state, { stopReason, error: null }, now());

type Next =
  | { do: 'ask'; toolChoice: 'auto' | 'required' | 'none' }
  | { do: 'remind'; text: string }
  | { do: 'end'; stopReason: StopReason };

type Rules = Pick<Loop, 'turnsMax' | 'limits' | 'toolChoice' | 'requiredTools' | 'tools'>;

/** What follows when no calls are open. It depends on the state alone. */
function decideNext(rules: Rules, state: RunState): Next {
  const { turnsMax = Number.POSITIVE_INFINITY, limits } = rules;
  const hasCallsLeft = state.callCount < limits.callsMax;
  const missing = hasCallsLeft ? findUncalledTool(rules, state) : undefined;
  const isAnswered = !state.isReminded && state.lastTurn?.calls.length === 0;
  if (isAnswered && !missing) return { do: 'end', stopReason: 'end_turn' };
  if (state.turns >= turnsMax) return { do: 'end', stopReason: 'max_turns' };
  if (isAnswered && missing) return { do: 'remind', text: `Call the tool ${missing} before you answer.` };
  if (rules.toolChoice === 'none' || !hasCallsLeft) return { do: 'ask', toolChoice: 'none' };
  const isFirst = state.turns === 0;
  const mustCall =
    (isFirst && rules.toolChoice === 'required') || (state.isReminded && missing !== undefined);
  return { do: 'ask', toolChoice: mustCall ? 'required' : 'auto' };
}

function findUncalledTool(
  { requiredTools = [], tools, limits }: Rules,
  { callsOf }: RunState,
): string | undefined {
  const { callsMaxOf = {} } = limits;
  const isCallable = ({ id, name }: RunnableTool) => (callsMaxOf[name] ?? callsMaxOf[id]) !== 0;
  const isRequired = ({ id, name }: RunnableTool) =>
    requiredTools.includes(id) || requiredTools.includes(name);
  return tools.find((tool) => isRequired(tool) && isCallable(tool) && !callsOf.has(tool.id))?.name;
}

async function* takeTurn(
  loop: Loop,
  state: RunState,
  toolChoice: 'auto' | 'required' | 'none',
  inputTokens: number | undefined,
): AsyncGenerator<LoopEvent, TurnFact> {
  const { model, request, tools, newId, errorHandling, signal } = loop;
  const turn = state.turns + 1;
  const turnId = newId('turn');
  const began = performance.now();
  yield { type: 'turn-started', turn, turnId };
  const asked = askModel(
    model,
    {
      ...request,
      messages: state.messages,
      tools: tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
      toolChoice,
      inputTokens,
      signal,
    },
    { handling: errorHandling, mayBeEmpty: loop.mayEndEmpty === true && state.callCount > 0 },
  );
  const ids = openCallIds(newId, tools);
  let delta = await asked.next();
  try {
    for (; !delta.done; delta = await asked.next()) yield ids.toEvent(delta.value);
  } finally {
    // If nobody reads any more, this aborts the call.
    await asked.return(undefined as never);
  }
  const { response, fallback, attempts } = delta.value;
  for (const warning of collectWarnings(delta.value, request.model)) loop.warn(warning);
  const { message, text, reasoning, sources, stopReason, modelUsed, usage, toolCalls } = response;
  // A provider may ignore that no tools are allowed.
  const requested = toolChoice === 'none' ? [] : toolCalls;
  const cutOff = stopReason === 'length' ? cutOffCall(requested) : undefined;
  return {
    type: 'turn',
    turn,
    turnId,
    message,
    text,
    reasoning,
    sources,
    modelUsed,
    usage,
    stopReason: toolChoice === 'none' && loop.toolChoice !== 'none' ? 'max_tool_calls' : stopReason,
    calls: admitCalls(loop, state, { requested, cutOff, ids }),
    ...(fallback && { fallback }),
    ...(attempts && { attempts }),
    durationMs: Math.round(performance.now() - began),
    spent: loop.spent(),
    at: loop.now().toISOString(),
  };
}

function* collectWarnings({ response, fallback }: AskedResponse, asked: string): Generator<NewWarning> {
  const { modelUsed, ignored = [], stopReason, providerReason, text, toolCalls } = response;
  if (fallback) {
    const message = `The model ${asked} failed or answered nothing, and a fallback of the type ${fallback} answered`;
    yield { code: 'FALLBACK_USED', message };
  }
  for (const setting of ignored) {
    yield { code: 'SETTING_IGNORED', message: `${modelUsed} does not take ${setting}` };
  }
  if (stopReason === 'length' && toolCalls.length === 0) {
    yield {
      code: 'ANSWER_CUT',
      message: `The answer of ${modelUsed} was cut at its limit of output tokens; raise maxTokens`,
    };
  }
  if (stopReason === 'other' && providerReason !== undefined && toolCalls.length === 0) {
    yield {
      code: 'ANSWER_CUT',
      message: `The answer of ${modelUsed} may be cut: its provider ended it with ${providerReason}`,
    };
  }
  if (text.trim() === '' && toolCalls.length === 0) {
    yield { code: 'ANSWER_EMPTY', message: `${modelUsed} ended without a word, after its tools had worked` };
  }
}

type Call = ModelResponse['toolCalls'][number];

const cutOffReason = 'The response was cut off at its limit in the middle of this call; write less at once';

/** The call in which a response was cut off. One without any arguments may be one of which nothing was written yet. */
function cutOffCall(calls: readonly Call[]): Call | undefined {
  const last = calls.at(-1);
  return last && (last.input === undefined || last.text.trim() === '') ? last : undefined;
}

type CallIds = ReturnType<typeof openCallIds>;

function openCallIds(newId: NewId, tools: Loop['tools']) {
  const ids = new Map<string, string>();
  const complete: string[] = [];
  const toCallId = (modelId: string) => {
    const id = ids.get(modelId) ?? newId('call');
    ids.set(modelId, id);
    return id;
  };
  return {
    toEvent(delta: ModelDelta): LoopEvent {
      if (delta.type !== 'tool-call' && delta.type !== 'tool-call-delta') return delta;
      const id = toCallId(delta.id);
      if (delta.type === 'tool-call') {
        complete.push(id);
        // A model that repeats an id means another call.
        ids.delete(delta.id);
        return { ...delta, id, input: toMeantInput(tools, delta), toolType: getToolType(tools, delta.name) };
      }
      return { ...delta, id, toolType: getToolType(tools, delta.name) };
    },
    /** Of the complete calls, in their order. */
    take: (): string => complete.shift() ?? newId('call'),
  };
}

function admitCalls(
  loop: Loop,
  { callCount, callsOf }: RunState,
  { requested, cutOff, ids }: { requested: readonly Call[]; cutOff: Call | undefined; ids: CallIds },
): RequestedCall[] {
  const made = { callCount, callsOf: new Map(callsOf) };
  return requested.map((call) => {
    const { id: modelId, name, text } = call;
    const input = toMeantInput(loop.tools, call);
    const tool = findTool(loop.tools, name);
    const toolId = tool?.id ?? null;
    const refused = call === cutOff ? cutOffReason : findCallRefusal({ name, input }, loop, made);
    made.callCount++;
    if (toolId && !refused) made.callsOf.set(toolId, (made.callsOf.get(toolId) ?? 0) + 1);
    const toolType = getToolType(loop.tools, name);
    return {
      id: ids.take(),
      modelId,
      name,
      toolId,
      toolType,
      ...(tool && { description: tool.description.slice(0, 500) }),
      input,
      ...(input === undefined && { text }),
      ...(refused !== undefined && { refused }),
    };
  });
}

/** As the schema of the tool means it: so it is checked, shown, approved and called. */
function toMeantInput(tools: Loop['tools'], { name, input }: Pick<Call, 'name' | 'input'>): unknown {
  const tool = findTool(tools, name);
  return tool && input !== undefined ? coerceValue(tool.parameters, input) : input;
}

const getToolType = (tools: Loop['tools'], name: string) => findTool(tools, name)?.type ?? 'unknown';
