import { evaluateExpression } from '../../adapters/code/evaluate-code.ts';
import type { Ports } from '../../adapters/ports/ports.ts';
import { StepError, type StepErrorCode } from '../../core/errors/step-error.ts';
import type { TracedRun } from '../../core/tracing/active-span.ts';
import type { Note } from '../../core/tracing/note.ts';
import type { Variables } from '../../core/variables/variables.ts';
import { stepTypeOf } from '../../domain/flows/step-types/index.ts';
import type { Attempt } from '../../domain/flows/steps/attempt.ts';
import { errorHandlingOf } from '../../domain/flows/steps/error-handling.ts';
import { type FlowStep, type StepEvent, variableOf } from '../../domain/flows/steps/step.ts';
import type { ModelCall } from '../../domain/model-usage/model-calls.ts';
import type { LocalCall, StepOutcome } from '../step-support/step-runner.ts';
import type { EarlierResults, ResultSource } from './earlier-results.ts';
import type { ModelFacts } from './model-meter.ts';
import type { Rehearsal } from './rehearsal.ts';
import { openSecrets, type RunSecrets } from './run-secrets.ts';
import { runStep } from './run-step.ts';

/** The result of one step. `path` is its position in the flow: `2`, or `2.true.0` for the first step of a branch. */
export interface StepResult extends Partial<StepOutcome & ModelFacts> {
  path: string;
  stepId: string;
  status: 'completed' | 'failed' | 'skipped';
  startedAt: string;
  durationMs: number;
  retryCount: number;
  /** If there was more than one. */
  attempts?: Attempt[];
  error?: string;
  errorCode?: StepErrorCode;
  /** Of the request of a step that costs or acts; what a later run may find it by. */
  requestHash?: string;
  /** The result that it was taken from, if it did not run. */
  reusedFrom?: ResultSource;
  savedCost?: string | null;
  /** For a failed step: whether a retry may succeed. */
  retryable?: boolean;
  /** What happened in the step. */
  notes?: Note[];
  /** The model calls of the step. Not part of its stored result. */
  modelCalls?: readonly ModelCall[];
}

export type RunEvent =
  | { type: 'step_start'; step: FlowStep; path: string; effects: boolean }
  | { type: 'step_end'; step: FlowStep; result: StepResult; effects: boolean }
  /** Emitted last when the run suspends until `until`. Pass `wait` as `waiting` to resume. */
  | { type: 'suspend'; step: FlowStep; wait: StepWait; until: Date }
  /** Emitted last when the caller must execute a tool. Pass its output as `answered` to resume. */
  | { type: 'await'; step: FlowStep; wait: StepWait; call: LocalCall }
  | {
      type: 'run_end';
      success: boolean;
      output: unknown;
      error?: string;
      errorCode?: StepErrorCode;
      retryable: boolean;
    };

export interface StepWait {
  path: string;
  since: string;
}

export interface FlowRun {
  steps: readonly FlowStep[];
  variables: Variables;
  ports: Ports;
  signal: AbortSignal;
  /** The run whose steps these are. Those of a flow inside of another are notes of its step. */
  trace?: TracedRun | undefined;
  /** Results of an earlier attempt by path. These steps do not run again. */
  done?: ReadonlyMap<string, StepResult>;
  waiting?: StepWait | undefined;
  /** Results of earlier runs that stand in for steps. */
  earlier?: EarlierResults | undefined;
  /** Given to walk through the flow without its effects. */
  rehearsal?: Rehearsal | undefined;
  /** Whether the run has a caller that can execute tools. Without one, a step that needs it fails. */
  hasCaller?: boolean;
  answered?: { path: string; output: unknown } | undefined;
  /** Receives the events inside the steps. The step waits for it. */
  onStepEvent?: ((step: FlowStep, event: StepEvent) => Promise<void> | void) | undefined;
  /** Receives what is known of a step that ends without a result, because the run is aborted. */
  onInterrupted?: (step: StepResult) => void;
}

export interface EngineState extends FlowRun {
  secrets: RunSecrets | undefined;
  lastOutput: unknown;
  /** Approximate length of all outputs as JSON, in characters. */
  characters: number;
  failure: StepResult | undefined;
  suspended: boolean;
}

/**
 * Runs the steps in order. The consumer decides what to store. A failed step ends the run unless its error handling says
 * otherwise. @throws errors that are not a step's own failure: bugs, and the signal's reason.
 */
export async function* runFlow(run: FlowRun): AsyncGenerator<RunEvent, void> {
  const secrets = await openSecrets(run.steps, run.ports);
  const state: EngineState = {
    ...run,
    ports: secrets?.ports ?? run.ports,
    secrets,
    variables: { ...run.variables },
    lastOutput: null,
    characters: 0,
    failure: undefined,
    suspended: false,
  };
  yield* runSteps(state, run.steps, '');
  if (state.suspended) return;
  const { failure } = state;
  yield {
    type: 'run_end',
    success: !failure,
    output: state.lastOutput,
    ...(failure?.error && { error: failure.error }),
    ...(failure?.errorCode && { errorCode: failure.errorCode }),
    retryable: failure?.retryable ?? false,
  };
}

async function* runSteps(
  state: EngineState,
  steps: readonly FlowStep[],
  base: string,
): AsyncGenerator<RunEvent, void> {
  for (const [index, step] of steps.entries()) {
    if (!step.enabled || state.failure) continue;
    if (state.suspended) return;
    state.signal.throwIfAborted();
    const path = `${base}${index}`;
    const done = state.done?.get(path);
    const known = done ?? state.earlier?.at(path);
    const { effects, branch: branchOf } = stepTypeOf(step.type);
    const refused = known || !step.when ? undefined : await checkCondition(state, step.when);
    const isSkipped = known?.status === 'skipped' || (refused && 'skipped' in refused);
    if (!done && !isSkipped) yield { type: 'step_start', step, path, effects: effects && !known };
    const result = known ?? (await runStep(state, step, path, refused));
    if ('wait' in result) {
      state.suspended = true;
      yield 'until' in result ? { type: 'suspend', step, ...result } : { type: 'await', step, ...result };
      return;
    }
    // What was taken over is stored already, and need not be stored before the next step.
    if (!done) yield { type: 'step_end', step, result, effects: effects && !result.reusedFrom };
    applyResult(state, step, result);
    const branch = result.status === 'completed' && branchOf?.(step.config, result.output);
    if (branch) yield* runSteps(state, branch.steps, `${path}.${branch.name}.`);
  }
}

export type NotRun = { skipped: true } | { error: StepError };

/** Why a step does not run: its condition is false, or cannot be evaluated. */
async function checkCondition(
  { variables, ports, signal }: EngineState,
  when: string,
): Promise<NotRun | undefined> {
  try {
    return (await evaluateExpression(ports.sandbox, when, variables, { signal }))
      ? undefined
      : { skipped: true };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof StepError) return { error };
    throw error;
  }
}

function applyResult(state: EngineState, step: FlowStep, result: StepResult): void {
  if (result.status === 'failed' && errorHandlingOf(step)?.onError !== 'continue') state.failure = result;
  if (result.status !== 'completed') return;
  const variable = variableOf(step);
  if (variable) state.variables[variable] = result.output;
  state.lastOutput = result.output;
}
