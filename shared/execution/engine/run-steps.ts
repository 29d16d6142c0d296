/**
 * Runs a list of steps one after another: condition, step, event, variables, branch.
 * Of each step: take a known result (of an earlier attempt, or of a run that this one continues) or evaluate `when`,
 * emit `step_start`, run it with its fallbacks, emit `step_end`, close the waits inside it, set its output variable, run
 * the branch that it chose. A failure ends the list unless the step says `continue`; a wait ends it too, and the lists
 * around it go on where they can.
 * Notes of a step's span are part of its result; `isFinal` tells the consumer whether its failure may still be retried
 * by a step around it.
 * Mutual recursion: a step that holds lists gets them run by `try-step.ts`, through `state.runList`.
 */
import { evaluateExpression } from '../../adapters/code/evaluate-code.ts';
import type { Ports } from '../../adapters/ports/ports.ts';
import { beginNote, openSpan, runInSpan } from '../../core/active-span.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { toFlowingValue } from '../../core/redaction/hidden.ts';
import { truncate } from '../../core/text.ts';
import type { Variables } from '../../core/variables.ts';
import { mergeWarnings } from '../../core/warnings.ts';
import { getStepType } from '../../domain/flows/step-types/index.ts';
import { stepErrorHandling } from '../../domain/flows/steps/error-handling.ts';
import { findStepAt, holderPath, isOwnScope, listsAround } from '../../domain/flows/steps/run-path.ts';
import { type FlowStep, outputVariableName } from '../../domain/flows/steps/step.ts';
import { openMeter } from '../model-calls/pipeline.ts';
import type { EngineState, OpenWait, StepResult } from './engine.ts';
import { tryWithFallbacks } from './retry-step.ts';
import type { StepSums } from './step-sums.ts';
import { takeAnswer } from './try-step.ts';

export interface ListEnd {
  failure?: StepResult;
  isWaiting?: true;
}

/** Runs the steps of a list one after another. @param base Of their paths: `2.true.` @throws as `runFlow` */
export async function runStepList(
  state: EngineState,
  frame: Frame,
  steps: readonly FlowStep[],
  base: string,
): Promise<ListEnd> {
  for (const [index, step] of steps.entries()) {
    if (!step.enabled) continue;
    frame.signal.throwIfAborted();
    const turn = state.bounds.beginStep();
    if (turn) await turn;
    const { failure, isWaiting } = await runPlaced(state, frame, step, `${base}${index}`);
    if (failure || isWaiting) return { ...(failure && { failure }), ...(isWaiting && { isWaiting }) };
  }
  return {};
}

async function runPlaced(state: EngineState, frame: Frame, step: FlowStep, path: string): Promise<ListEnd> {
  const done = state.done?.get(path);
  const existing = done ?? state.earlier?.at(path);
  if (existing?.unmasked) await state.secrets.reopen(existing.unmasked.keys);
  const { effects, branch: branchOf } = getStepType(step.type);
  const refused = existing || !step.when ? undefined : await checkCondition(state, frame, step.when);
  const isSkipped = existing?.status === 'skipped' || (refused && 'skipped' in refused);
  if (!done && !isSkipped) {
    await state.onEvent?.({ type: 'step_start', step, path, effects: effects && !existing });
  }
  const result = existing ?? (await runStep(state, frame, { step, path, refused }));
  if ('isWaiting' in result) return result;
  // The steps of one that ran now have been added one by one.
  if (existing || !result.isSum) frame.sums?.add(result);
  const isFailure = result.status === 'failed' && stepErrorHandling(step)?.onError !== 'continue';
  // What was taken over is stored already, and need not be stored before the next step.
  if (!done) {
    const facts = { effects: effects && !result.reusedFrom, isFinal: !isFailure || frame.absorbs };
    if (facts.isFinal) for (const list of listsAround(path)) state.begun.add(list);
    await state.onEvent?.({ type: 'step_end', step, result, ...facts });
  }
  await endWaitsIn(state, path);
  if (existing?.isSum) await takeOverInside(state, frame, path, done !== undefined);
  if (isFailure) return { failure: result };
  if (result.status !== 'completed') return {};
  applyResult(frame, step, result);
  const branch = branchOf?.(step.config, toFlowingValue(result));
  return branch ? runStepList(state, frame, branch.steps, `${path}.${branch.name}.`) : {};
}

/** What waited inside of a step that has ended waits no more. After its result, without which it would wait again. */
async function endWaitsIn({ waits, ports }: EngineState, path: string): Promise<void> {
  for (const [each, { isAnswerable }] of [...waits]) {
    if (!each.startsWith(`${path}.`)) continue;
    waits.delete(each);
    if (isAnswerable) await ports.waits.close(each);
  }
}

type NotRun = { skipped: true } | { error: StepError };

/** Why a step does not run: its condition is false, or cannot be evaluated. */
async function checkCondition(
  { ports }: EngineState,
  { variables, signal }: Frame,
  when: string,
): Promise<NotRun | undefined> {
  try {
    return (await evaluateExpression(ports.sandbox, when, variables, { signal, shown: ports.shown }))
      ? undefined
      : { skipped: true };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof StepError) return { error };
    throw error;
  }
}

interface PlacedRun {
  step: FlowStep;
  path: string;
  refused: NotRun | undefined;
}

/** Runs a step with its fallbacks. @throws errors that are not the step's own failure. */
async function runStep(
  state: EngineState,
  frame: Frame,
  { step, path, refused }: PlacedRun,
): Promise<StepResult | { isWaiting: true }> {
  const { answered } = state;
  const { ports } = frame;
  const waiting = state.waiting?.find((wait) => wait.path === path);
  const since = waiting ? new Date(waiting.since) : ports.now();
  const startedAt = since.toISOString();
  const meter = openMeter(ports);
  const opened = openStepSpan(state, step, path, since);
  const getFacts = () => ({
    path,
    stepId: step.id,
    startedAt,
    durationMs: Math.max(0, ports.now().getTime() - since.getTime()),
    retryCount: 0,
    ...opened.notes(),
    ...(meter.calls().length > 0 && { modelCalls: meter.calls() }),
  });
  const attempt = { state, frame, ports: meter.ports, since, path };
  const tried = refused
    ? { ...refused, ...once }
    : answered?.path === path
      ? { ...takeAnswer(state, step, answered.output), ...once }
      : await runInSpan(opened.span, () => tryWithFallbacks(attempt, step)).catch((error) => {
          if (frame.signal.aborted && !state.signal.aborted)
            return { error: createStopError(frame.signal), ...once };
          state.onInterrupted?.({ ...getFacts(), status: 'failed' });
          throw error;
        });
  opened.end(tried);
  if (answered?.path === path) opened.noteWait(ports.now().getTime() - since.getTime());
  const wait = (more: Partial<OpenWait>) => {
    state.waits.set(path, { path, since: startedAt, step, ...more });
    return { isWaiting: true } as const;
  };
  if ('isWaiting' in tried) return { isWaiting: true };
  if ('until' in tried) {
    const { until, isAnswerable, needsResume } = tried;
    return wait({ until, ...(isAnswerable && { isAnswerable }), ...(needsResume && { needsResume }) });
  }
  if ('awaitsCaller' in tried) return wait({ call: tried.awaitsCaller });
  const base = {
    ...getFacts(),
    ...toEarlierStart(since, tried.sums?.beganAt(), ports.now()),
    ...meter.facts(),
    ...tried.sums?.facts(),
    retryCount: tried.retryCount,
    ...(tried.attempts && { attempts: tried.attempts }),
    ...('outcome' in tried && tried.requestHash && { requestHash: tried.requestHash }),
  };
  if ('skipped' in tried) return { ...base, status: 'skipped' };
  if ('error' in tried) {
    const failure = { ...toFailure(tried.error), ...(step.retry && { retryable: false }) };
    const goesOn = stepErrorHandling(step)?.onError === 'continue';
    return addWarning(step, { ...base, status: 'failed', ...failure }, goesOn ? 1 : 0);
  }
  return addWarning(
    step,
    { ...base, ...tried.outcome, status: 'completed' },
    tried.outcome.errors?.length ?? 0,
  );
}

/** Of failures after which the flow goes on as it says. @param failed How many */
function addWarning({ name }: FlowStep, result: StepResult, failed: number): StepResult {
  if (failed === 0) return result;
  const what = result.status === 'failed' ? `The step ${name}` : `Items or branches of the step ${name}`;
  const warning = {
    code: 'STEP_FAILED',
    message: `${what} failed, and the flow went on`,
    count: failed,
  } as const;
  return { ...result, warnings: mergeWarnings(result.warnings ?? [], [warning]) };
}

/** A step that holds steps and was suspended has begun with the first of them. */
function toEarlierStart(since: Date, first: string | undefined, now: Date) {
  if (first === undefined || Date.parse(first) >= since.getTime()) return {};
  return { startedAt: first, durationMs: Math.max(0, now.getTime() - Date.parse(first)) };
}

const toFailure = ({ message, retryable, code }: StepError) => ({
  error: shorten(message),
  ...(code && { errorCode: code }),
  retryable,
});

/** A step that was stopped by a failure beside it. The reason of the signal says which one. */
const createStopError = ({ reason }: AbortSignal) =>
  new StepError(reason instanceof Error ? reason.message : 'Stopped', { retryable: true });

/** A step of the run itself has notes; one of a flow inside of another is a note. */
function openStepSpan({ trace }: EngineState, { id, name, type }: FlowStep, path: string, since: Date) {
  if (trace) {
    const span = openSpan(trace, `step/${path}`, since.getTime());
    const noteWait = (ms: number) => void span.notes.push({ k: 'w', at: 0, ms });
    return {
      span,
      end() {},
      noteWait,
      notes: () => (span.notes.length > 0 ? { notes: span.notes } : {}),
    };
  }
  const note = beginNote({ k: 's', n: name, id, ty: type });
  const end = (tried: object) =>
    note?.end('error' in tried ? { st: 'e' } : 'skipped' in tried ? { st: 's' } : {});
  return { span: note?.span, end, noteWait() {}, notes: () => ({}) };
}

const once = { retryCount: 0, attempts: undefined, sums: undefined };

/** Call only after redaction: a truncated secret value would not be recognised. */
const shorten = (message: string) => truncate(message, messageMax) + (message.length > messageMax ? '…' : '');
const messageMax = 1_000;

/** What the steps of a list see and change. */
export interface Frame {
  variables: Variables;
  /** Those of the variables that its steps have set. */
  assigned: Variables;
  signal: AbortSignal;
  /** With those who pay for its model calls. */
  ports: Ports;
  /** The output of the last step that has one. */
  last: Pick<StepResult, 'output' | 'unmasked'>;
  /** Whether a step around the list goes on after a failure in it, and none between them is tried again. */
  absorbs: boolean;
  /** Of the step that holds the list. */
  sums?: StepSums | undefined;
}

/** Gives the output of a step to the steps after it. */
function applyResult(frame: Frame, step: FlowStep, result: StepResult): void {
  setVariables(frame, step, result);
  frame.last = result;
}

function setVariables({ variables, assigned }: Frame, step: FlowStep, result: StepResult): void {
  const variable = outputVariableName(step);
  if (!variable) return;
  const { errors } = result;
  const set = { [variable]: toFlowingValue(result), ...(errors && { [`${variable}Errors`]: errors }) };
  Object.assign(variables, set);
  Object.assign(assigned, set);
}

/**
 * Takes over what steps in a step have done, whose own result is known: what they set in the scope around it is set. Those
 * of an earlier run become results of this one.
 */
async function takeOverInside(
  state: EngineState,
  frame: Frame,
  path: string,
  isDone: boolean,
): Promise<void> {
  const inside = isDone ? listDoneInside(state, path) : (state.earlier?.inside(path) ?? []);
  state.bounds.countSteps(inside.length);
  for (const result of inside) {
    const step = findStepAt(state.steps, result.path);
    if (!step) continue;
    if (!isDone) await state.onEvent?.({ type: 'step_end', step, result, effects: false, isFinal: true });
    const between = listsAround(result.path).slice(listsAround(path).length);
    if (result.status === 'completed' && !between.some(isOwnScope)) setVariables(frame, step, result);
  }
}

/** In the order in which they ended. */
function listDoneInside({ done }: EngineState, path: string): readonly StepResult[] {
  if (!done) return [];
  const groups = byHolder.get(done) ?? groupByHolder(done);
  byHolder.set(done, groups);
  return groups.get(path) ?? [];
}

/** A holder in a thousand items would otherwise look through all results a thousand times. */
const byHolder = new WeakMap<object, ReadonlyMap<string, StepResult[]>>();

function groupByHolder(done: ReadonlyMap<string, StepResult>): ReadonlyMap<string, StepResult[]> {
  const groups = new Map<string, StepResult[]>();
  for (const result of done.values()) {
    for (const list of listsAround(result.path)) {
      const holder = holderPath(list);
      const group = groups.get(holder);
      if (group) group.push(result);
      else groups.set(holder, [result]);
    }
  }
  return groups;
}
