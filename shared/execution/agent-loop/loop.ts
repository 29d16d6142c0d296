import type { ModelPort, ModelRequest } from '../../adapters/ports/model-port.ts';
import type { Ports } from '../../adapters/ports/ports.ts';
import type { NewId } from '../../core/ids.ts';
import type { ErrorHandling } from '../../domain/flows/steps/error-handling.ts';
import type { ModelDelta } from './ask-model.ts';
import type { EndFact, Fact, LoopWait, NoteFact, StopReason } from './facts.ts';
import { next } from './next.ts';
import { apply, endFact, type RunState } from './state.ts';
import {
  type CallEvent,
  failedCallResult,
  planCalls,
  runCalls,
  type ToolWorld,
  unfitReason,
} from './tool-calls.ts';
import { takeTurn } from './turn.ts';

export interface Loop extends ToolWorld {
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
  /** How long a call waits for its approval, and for the output of the caller. */
  waitMs?: Readonly<Record<LoopWait['kind'], number>> | undefined;
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
      yield* openCalls(loop, state, isFirst && mayHaveBegun, record);
      const waits = waitsOf(loop, state);
      if (waits.length === 0) continue;
      if (state.waits.length === 0) yield* record({ type: 'pause', waits, at: at(loop) });
      return state;
    }
    const step = next(loop, state);
    if (step.do === 'end') yield* record(await endingOf(loop, state, step.stopReason));
    else if (step.do === 'remind') yield* record(noteOf(loop, 'required-tool', step.text));
    else {
      const { facts = [], inputTokens, stop } = (await loop.beforeTurn?.(state)) ?? {};
      yield* record(...facts);
      if (stop) yield* record(endOf(loop, state, stop));
      else {
        const turn = yield* takeTurn(loop, state, step.toolChoice, inputTokens);
        const after = apply(state, turn);
        const following = turn.calls.length === 0 ? next(loop, after) : undefined;
        // The last response and the end are recorded together.
        const ending = following?.do === 'end' && (await endingOf(loop, after, following.stopReason));
        yield* record(turn, ...(ending ? [ending] : []));
      }
    }
  }
  return state;
}

async function* openCalls(
  loop: Loop,
  state: RunState,
  mayHaveBegun: boolean,
  record: (...facts: Fact[]) => AsyncGenerator<LoopEvent, void>,
): AsyncGenerator<LoopEvent, void> {
  const open = state.open.filter(({ id }) => !state.results.has(id));
  const left = await Promise.all(
    open.map(async (call) => {
      const plan = planCalls(call, loop, state.decisions.get(call.id), mayHaveBegun);
      const isOutput = 'waitFor' in plan && plan.waitFor === 'output';
      const unfit = isOutput && (await unfitReason(call, loop));
      return { call, plan: unfit ? { fail: unfit } : plan };
    }),
  );
  yield* record(
    ...left.flatMap(({ call, plan }) =>
      'fail' in plan ? [failedCallResult(call, plan.fail, loop.now)] : [],
    ),
  );
  const runnable = left.flatMap(({ call, plan }) => ('run' in plan ? [{ call, tool: plan.run }] : []));
  if (runnable.length === 0) return;
  for await (const event of runCalls(runnable, loop)) {
    if (event.type === 'results') yield* record(...event.results);
    else yield event;
  }
}

const waitsOf = (loop: Loop, state: RunState): LoopWait[] =>
  state.open
    .filter(({ id }) => !state.results.has(id))
    .flatMap((call): LoopWait[] => {
      const plan = planCalls(call, loop, state.decisions.get(call.id), false);
      if (!('waitFor' in plan)) return [];
      const { waitFor: kind } = plan;
      const until = new Date(loop.now().getTime() + (loop.waitMs?.[kind] ?? 0)).toISOString();
      const approval = kind === 'approval' && { approvalId: loop.newId('appr') };
      return [{ kind, callId: call.id, ...approval, toolName: call.name, parameters: call.input, until }];
    });

const at = ({ now }: Loop) => now().toISOString();

const noteOf = (loop: Loop, reason: NoteFact['reason'], text: string): NoteFact => ({
  type: 'note',
  reason,
  text,
  at: at(loop),
});

async function endingOf(loop: Loop, state: RunState, stopReason: StopReason): Promise<EndFact | NoteFact> {
  const end = endOf(loop, state, stopReason);
  if (!loop.checkAnswer || stopReason !== 'end_turn') return end;
  const checked = await loop.checkAnswer(state.lastTurn?.text ?? '');
  if ('value' in checked) return { ...end, output: checked.value };
  if (!state.isCorrected) return noteOf(loop, 'correction', checked.problem);
  return { ...end, stopReason: 'error', error: checked.problem };
}

const endOf = ({ now }: Loop, state: RunState, stopReason: StopReason): EndFact =>
  endFact(state, { stopReason, error: null }, now());
