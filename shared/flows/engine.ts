import { setTimeout as sleep } from 'node:timers/promises';
import { type ErrorHandling, fallbackOverrides } from './error-handling.ts';
import type { Ports } from './ports.ts';
import { type FlowStep, StepError, type StepOutcome, type Variables, variableOf } from './step.ts';
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
  | { type: 'run_end'; success: boolean; output: unknown; error?: string; retryable: boolean };

export interface Run {
  steps: readonly FlowStep[];
  variables: Variables;
  ports: Ports;
  signal: AbortSignal;
  /** Results of an earlier attempt by their path: those steps are not run again. */
  done?: ReadonlyMap<string, StepResult>;
}

interface State extends Run {
  lastOutput: unknown;
  failure: StepResult | undefined;
}

/**
 * Runs the steps one after another and tells what happens as it happens. Knows no Lambda and no table; the
 * consumer decides what is kept. A step that fails ends the run unless its error handling says otherwise.
 * @throws what is not a step's own failure: a fault of the program, or the signal's reason.
 */
export async function* runFlow(run: Run): AsyncGenerator<RunEvent, void> {
  const state: State = { ...run, variables: { ...run.variables }, lastOutput: null, failure: undefined };
  yield* runSteps(state, run.steps, '');
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
    const path = `${base}${index}`;
    const earlier = state.done?.get(path);
    if (!earlier) yield { type: 'step_start', step, path };
    const type = stepTypeOf(step.type);
    const result = earlier ?? (await attempt(state, step, path));
    if (!earlier) yield { type: 'step_end', step, result, effects: type.effects };
    keep(state, step, result);
    const branch = result.status === 'completed' && type.branch?.(step.config, result.output);
    if (branch) yield* runSteps(state, branch.steps, `${path}.${branch.name}.`);
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

async function attempt(state: State, step: FlowStep, path: string): Promise<StepResult> {
  const startedAt = state.ports.now();
  const tried = await withFallbacks(state, step);
  const base = {
    path,
    stepId: step.id,
    startedAt: startedAt.toISOString(),
    durationMs: Math.max(0, state.ports.now().getTime() - startedAt.getTime()),
    retryCount: tried.retryCount,
  };
  if ('skipped' in tried) return { ...base, status: 'skipped' };
  if ('error' in tried) {
    const { message, retryable } = tried.error;
    return { ...base, status: 'failed', error: message, retryable };
  }
  return { ...base, ...tried.outcome, status: 'completed' };
}

type Tried = { retryCount: number } & ({ skipped: true } | { error: StepError } | { outcome: StepOutcome });

/** Runs a step, and what its error handling names when that fails (semantics-1, 6.2). */
async function withFallbacks(state: State, step: FlowStep): Promise<Tried> {
  let tried = await once(state, step, step.config);
  let retryCount = 0;
  const policy = errorHandlingOf(step);
  if (policy?.onError !== 'fallback') return { ...tried, retryCount };
  for (const fallback of policy.fallbacks ?? []) {
    if (!triggers(policy, tried)) break;
    if (fallback.delay) await sleep(fallback.delay, undefined, { signal: state.signal });
    if (fallback.type === 'message') return { outcome: { output: fallback.message }, retryCount };
    retryCount++;
    tried = await once(state, step, { ...step.config, ...fallbackOverrides(fallback) });
  }
  return { ...tried, retryCount };
}

type Once = { skipped: true } | { error: StepError } | { outcome: StepOutcome };

async function once(state: State, step: FlowStep, config: Record<string, unknown>): Promise<Once> {
  const { variables, ports, signal } = state;
  try {
    if (step.when) {
      const { evaluateExpression } = await import('./sandbox.ts');
      if (!(await evaluateExpression(step.when, variables))) return { skipped: true };
    }
    const { renderTemplate } = await import('./templates.ts');
    const render = (text: string) => renderTemplate(text, variables);
    return { outcome: await stepTypeOf(step.type).run({ config, variables, render, ports, signal }) };
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
