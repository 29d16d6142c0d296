import { setTimeout as sleep } from 'node:timers/promises';
import type { Ports } from '../../adapters/ports.ts';
import { fillerOf } from '../../adapters/templates/filler.ts';
import { characterCount } from '../../core/json-texts.ts';
import { isDeeperThan, levelsMax } from '../../core/nesting.ts';
import { StepError } from '../../core/step-error.ts';
import { truncate } from '../../core/text.ts';
import {
  type ErrorHandling,
  errorHandlingOf,
  fallbackAttempts,
} from '../../domain/flows/steps/error-handling.ts';
import type { FlowStep, StepEvent } from '../../domain/flows/steps/step.ts';
import type { AwaitsCaller, LocalCall, StepOutcome, Suspended } from '../step-support/step-runner.ts';
import { runnerOf } from '../steps/index.ts';
import type { EngineState, NotRun, StepResult, Wait } from './engine.ts';
import { openMeter } from './model-meter.ts';

/** Runs a step with its fallbacks. @throws errors that are not the step's own failure. */
export async function runStep(
  state: EngineState,
  step: FlowStep,
  path: string,
  refused: NotRun | undefined,
): Promise<StepResult | ({ wait: Wait } & (Suspended | { call: LocalCall }))> {
  const { waiting, ports } = state;
  const since = waiting?.path === path ? new Date(waiting.since) : ports.now();
  const startedAt = since.toISOString();
  const meter = openMeter(ports);
  const tried = refused
    ? { ...refused, retryCount: 0 }
    : state.answered?.path === path
      ? { ...answeredStep(state, state.answered.output), retryCount: 0 }
      : await withFallbacks({ state, ports: meter.ports, since }, step).catch((error) => {
          state.onAbandonedCalls?.(meter.calls());
          throw error;
        });
  const wait = { path, since: startedAt };
  if ('until' in tried) return { wait, until: tried.until };
  if ('awaitsCaller' in tried) return { wait, call: tried.awaitsCaller };
  const calls = meter.calls();
  const base = {
    path,
    stepId: step.id,
    startedAt,
    durationMs: Math.max(0, ports.now().getTime() - since.getTime()),
    retryCount: tried.retryCount,
    ...meter.facts(),
    ...(calls.length > 0 && { modelCalls: calls }),
  };
  if ('skipped' in tried) return { ...base, status: 'skipped' };
  if ('error' in tried) {
    const { message, retryable } = tried.error;
    return { ...base, status: 'failed', error: shortened(message), retryable };
  }
  return { ...base, ...tried.outcome, status: 'completed' };
}

/** Call only after redaction: a truncated secret value would not be recognised. */
const shortened = (message: string) =>
  truncate(message, messageMax) + (message.length > messageMax ? '…' : '');
const messageMax = 1_000;

interface Attempt {
  state: EngineState;
  /** Those of the state, with the model calls of the step counted. */
  ports: Ports;
  since: Date;
}

type TryOutcome = { error: StepError } | { outcome: StepOutcome } | Suspended | AwaitsCaller;
type StepTries = { retryCount: number } & TryOutcome;

/** Runs a step, then the fallbacks of its error handling. */
async function withFallbacks(attempt: Attempt, step: FlowStep): Promise<StepTries> {
  const { signal } = attempt.state;
  let tried = await tryOnce(attempt, step);
  let retryCount = 0;
  const policy = errorHandlingOf(step);
  const alternatives = () => alternativesOf(attempt.ports, step);
  if (policy?.onError !== 'fallback') return { ...tried, retryCount };
  for (const fallback of policy.fallbacks ?? []) {
    if (!triggers(policy, tried)) break;
    if (fallback.delay) await sleep(fallback.delay, undefined, { signal });
    if (fallback.type === 'message') return { outcome: { output: fallback.message }, retryCount };
    for (const overrides of await fallbackAttempts(fallback, alternatives)) {
      if (!triggers(policy, tried)) break;
      retryCount++;
      tried = await tryOnce(attempt, { ...step, config: { ...step.config, ...overrides } });
    }
  }
  return { ...tried, retryCount };
}

/** None if the model cannot be resolved: its error stays that of the step. */
async function alternativesOf({ model: { alternatives } }: Ports, { config }: FlowStep): Promise<string[]> {
  try {
    return await alternatives(String(config.model));
  } catch (error) {
    if (error instanceof StepError) return [];
    throw error;
  }
}

async function tryOnce({ state, ports, since }: Attempt, step: FlowStep): Promise<TryOutcome> {
  const { signal, onStepEvent, secrets } = state;
  const { config } = step;
  try {
    const variables = secrets?.variablesFor(step, state.variables) ?? state.variables;
    const filler = fillerOf(variables, ports.sandbox);
    const emit = onStepEvent && ((event: StepEvent) => onStepEvent(step, secrets?.event(event) ?? event));
    const { run } = await runnerOf(step.type);
    const outcome: StepOutcome | Suspended | AwaitsCaller = await run({
      ...filler,
      config,
      variables,
      ports,
      signal,
      since,
      emit,
    });
    if ('until' in outcome) return outcome;
    if ('awaitsCaller' in outcome) {
      if (state.hasCaller) return outcome;
      throw callerMissing();
    }
    takeOutput(state, outcome.output);
    return { outcome: secrets?.outcome(outcome) ?? outcome };
  } catch (thrown) {
    signal.throwIfAborted();
    const error = secrets ? secrets.error(thrown) : thrown;
    if (error instanceof StepError) return { error };
    throw error;
  }
}

/** The step of a local tool, with the output that the caller sent. */
function answeredStep(state: EngineState, output: unknown): TryOutcome {
  try {
    takeOutput(state, output);
    return { outcome: state.secrets?.outcome({ output }) ?? { output } };
  } catch (error) {
    if (error instanceof StepError) return { error };
    throw error;
  }
}

/** @throws StepError if the output is too large or too deep. */
function takeOutput(state: EngineState, output: unknown): void {
  checkOutput(output);
  state.characters += checkedCharacters(output, charactersMax - state.characters);
}

const callerMissing = () =>
  new StepError(
    'The caller of a run executes local tools, but nobody waits for this run; run the flow through POST /v1/dispatch, or remove the step',
  );

/** A record may have 100 levels of metadata, and a step may return it inside a list or an object. */
const outputLevelsMax = levelsMax + 10;

/** @throws StepError if a sandbox, a template, the table or a response could not take the output. */
function checkOutput(output: unknown): void {
  if (!isDeeperThan(outputLevelsMax, output)) return;
  throw new StepError(
    `The output is nested more than ${outputLevelsMax} levels deep; return a flatter value`,
  );
}

/** The limit for all outputs of a run together: they stay in memory until its end. */
const charactersMax = 100_000_000;

function checkedCharacters(output: unknown, left: number): number {
  const characters = characterCount(output, left);
  if (characters <= left) return characters;
  throw new StepError(
    `The outputs of the run have more than ${charactersMax} characters together; return less from the steps`,
  );
}

function triggers({ triggers = [{ type: 'error' as const }] }: ErrorHandling, tried: TryOutcome): boolean {
  if ('error' in tried) return triggers.some(({ type }) => type === 'error');
  return (
    'outcome' in tried &&
    isEmpty(tried.outcome.output) &&
    triggers.some(({ type }) => type === 'empty-output')
  );
}

const isEmpty = (output: unknown) =>
  output === null || output === undefined || (typeof output === 'string' && output.trim() === '');
