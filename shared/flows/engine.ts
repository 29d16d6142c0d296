import { setTimeout as sleep } from 'node:timers/promises';
import { type ErrorHandling, fallbackOverrides } from './error-handling.ts';
import type { Ports } from './ports.ts';
import {
  type FlowStep,
  type Parked,
  StepError,
  type StepEvent,
  type StepOutcome,
  type Variables,
  variableOf,
} from './step.ts';
import { stepTypeOf } from './steps/index.ts';

/** What one step did. `path` is its place in the flow: `2`, or `2.true.0` for the first step of a branch. */
export interface StepResult extends Partial<StepOutcome> {
  path: string;
  stepId: string;
  status: 'completed' | 'failed' | 'skipped';
  startedAt: string;
  durationMs: number;
  /** How often the step was tried again. */
  retryCount: number;
  error?: string;
  /** Of a failed step: whether trying it again may help. */
  retryable?: boolean;
}

export type RunEvent =
  | { type: 'step_start'; step: FlowStep; path: string }
  | { type: 'step_end'; step: FlowStep; result: StepResult; effects: boolean }
  /** The last event of a run that is to be gone on with at `until`; `wait` is then given as `waiting`. */
  | { type: 'park'; step: FlowStep; wait: Wait; until: Date }
  | { type: 'run_end'; success: boolean; output: unknown; error?: string; retryable: boolean };

/** A step that waits for a time to come, and since when. */
export interface Wait {
  path: string;
  since: string;
}

export interface Run {
  steps: readonly FlowStep[];
  variables: Variables;
  ports: Ports;
  signal: AbortSignal;
  /** Results of an earlier attempt by their path: those steps are not run again. */
  done?: ReadonlyMap<string, StepResult>;
  /** The step at which an earlier attempt was parked. */
  waiting?: Wait | undefined;
  /** Told what goes on inside the steps, between their events; without it nobody listens. */
  onStepEvent?: ((step: FlowStep, event: StepEvent) => void) | undefined;
}

interface State extends Run {
  lastOutput: unknown;
  failure: StepResult | undefined;
  parked: boolean;
}

/**
 * Runs the steps one after another and tells what happens as it happens. Knows no Lambda and no table; the
 * consumer decides what is kept. A step that fails ends the run unless its error handling says otherwise.
 * @throws what is not a step's own failure: a fault of the program, or the signal's reason.
 */
export async function* runFlow(run: Run): AsyncGenerator<RunEvent, void> {
  const state: State = {
    ...run,
    variables: { ...run.variables },
    lastOutput: null,
    failure: undefined,
    parked: false,
  };
  yield* runSteps(state, run.steps, '');
  if (state.parked) return;
  const { failure } = state;
  yield {
    type: 'run_end',
    success: !failure,
    output: state.lastOutput,
    ...(failure?.error && { error: failure.error }),
    retryable: failure?.retryable ?? false,
  };
}

async function* runSteps(
  state: State,
  steps: readonly FlowStep[],
  base: string,
): AsyncGenerator<RunEvent, void> {
  for (const [index, step] of steps.entries()) {
    if (!step.enabled || state.failure) continue;
    if (state.parked) return;
    const path = `${base}${index}`;
    const earlier = state.done?.get(path);
    const type = stepTypeOf(step.type);
    const refused = earlier || !step.when ? undefined : await refusalOf(state, step.when);
    if (!earlier && !(refused && 'skipped' in refused)) yield { type: 'step_start', step, path };
    const result = earlier ?? (await attempt(state, step, path, refused));
    if ('until' in result) {
      state.parked = true;
      yield { type: 'park', step, ...result };
      return;
    }
    if (!earlier) yield { type: 'step_end', step, result, effects: type.effects };
    keep(state, step, result);
    const branch = result.status === 'completed' && type.branch?.(step.config, result.output);
    if (branch) yield* runSteps(state, branch.steps, `${path}.${branch.name}.`);
  }
}

type Refused = { skipped: true } | { error: StepError };

/** Why a step is not even begun: its condition does not hold, or cannot be told. */
async function refusalOf({ variables, signal }: State, when: string): Promise<Refused | undefined> {
  const { evaluateExpression } = await import('./sandbox.ts');
  try {
    return (await evaluateExpression(when, variables)) ? undefined : { skipped: true };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof StepError) return { error };
    throw error;
  }
}

/** Puts a step's output where the next steps find it. */
function keep(state: State, step: FlowStep, result: StepResult): void {
  if (result.status === 'failed' && errorHandlingOf(step)?.onError !== 'continue') state.failure = result;
  if (result.status !== 'completed') return;
  const variable = variableOf(step);
  if (variable) state.variables[variable] = result.output;
  state.lastOutput = result.output;
}

async function attempt(
  state: State,
  step: FlowStep,
  path: string,
  refused: Refused | undefined,
): Promise<StepResult | { wait: Wait; until: Date }> {
  const { waiting, ports } = state;
  const since = waiting?.path === path ? new Date(waiting.since) : ports.now();
  const startedAt = since.toISOString();
  const tried = refused ? { ...refused, retryCount: 0 } : await withFallbacks(state, step, since);
  if ('until' in tried) return { wait: { path, since: startedAt }, until: tried.until };
  const base = {
    path,
    stepId: step.id,
    startedAt,
    durationMs: Math.max(0, ports.now().getTime() - since.getTime()),
    retryCount: tried.retryCount,
  };
  if ('skipped' in tried) return { ...base, status: 'skipped' };
  if ('error' in tried) {
    const { message, retryable } = tried.error;
    return { ...base, status: 'failed', error: message, retryable };
  }
  return { ...base, ...tried.outcome, status: 'completed' };
}

type Once = { error: StepError } | { outcome: StepOutcome } | Parked;
type Tried = { retryCount: number } & Once;

/** Runs a step, and what its error handling names when that fails (semantics-1, 6.2). */
async function withFallbacks(state: State, step: FlowStep, since: Date): Promise<Tried> {
  let tried = await once(state, step, since);
  let retryCount = 0;
  const policy = errorHandlingOf(step);
  if (policy?.onError !== 'fallback') return { ...tried, retryCount };
  for (const fallback of policy.fallbacks ?? []) {
    if (!triggers(policy, tried)) break;
    if (fallback.delay) await sleep(fallback.delay, undefined, { signal: state.signal });
    if (fallback.type === 'message') return { outcome: { output: fallback.message }, retryCount };
    retryCount++;
    const config = { ...step.config, ...fallbackOverrides(fallback) };
    tried = await once(state, { ...step, config }, since);
  }
  return { ...tried, retryCount };
}

async function once(state: State, step: FlowStep, since: Date): Promise<Once> {
  const { variables, ports, signal, onStepEvent } = state;
  const { config } = step;
  try {
    const { renderTemplate } = await import('./templates.ts');
    const render = (text: string) => renderTemplate(text, variables);
    const emit = onStepEvent && ((event: StepEvent) => onStepEvent(step, event));
    const run = { config, variables, render, ports, signal, since, emit };
    const outcome: StepOutcome | Parked = await stepTypeOf(step.type).run(run);
    return 'until' in outcome ? outcome : { outcome };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof StepError) return { error };
    throw error;
  }
}

function triggers({ triggers = [{ type: 'error' as const }] }: ErrorHandling, tried: Once): boolean {
  if ('error' in tried) return triggers.some(({ type }) => type === 'error');
  return (
    'outcome' in tried &&
    isEmpty(tried.outcome.output) &&
    triggers.some(({ type }) => type === 'empty-output')
  );
}

const isEmpty = (output: unknown) =>
  output === null || output === undefined || (typeof output === 'string' && output.trim() === '');

const errorHandlingOf = ({ config }: FlowStep) => config.errorHandling as ErrorHandling | undefined;
