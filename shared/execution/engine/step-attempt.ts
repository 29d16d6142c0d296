import { setTimeout as sleep } from 'node:timers/promises';
import { fillerOf } from '../../adapters/templates/filler.ts';
import { characterCount } from '../../core/json-texts.ts';
import { isDeeperThan, levelsMax } from '../../core/nesting.ts';
import { StepError } from '../../core/step-error.ts';
import { truncate } from '../../core/text.ts';
import {
  type ErrorHandling,
  errorHandlingOf,
  fallbackOverrides,
} from '../../domain/flows/steps/error-handling.ts';
import type { FlowStep, StepEvent } from '../../domain/flows/steps/step.ts';
import type { Parked, StepOutcome } from '../step-support/step-runner.ts';
import { runnerOf } from '../steps/index.ts';
import type { Refused, State, StepResult, Wait } from './engine.ts';

/** Tries a step, and tells what came of it. @throws what is not the step's own failure. */
export async function attempt(
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
    return { ...base, status: 'failed', error: shortened(message), retryable };
  }
  return { ...base, ...tried.outcome, status: 'completed' };
}

/** Only here, when no value of a secret is in it any more: a cut one would not be known again. */
const shortened = (message: string) =>
  truncate(message, messageMax) + (message.length > messageMax ? '…' : '');
const messageMax = 1_000;

type Once = { error: StepError } | { outcome: StepOutcome } | Parked;
type Tried = { retryCount: number } & Once;

/** Runs a step, and what its error handling names when that fails. */
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
  const { ports, signal, onStepEvent, secrets } = state;
  const { config } = step;
  try {
    const variables = secrets?.variablesFor(step, state.variables) ?? state.variables;
    const filler = fillerOf(variables, ports.sandbox);
    const emit = onStepEvent && ((event: StepEvent) => onStepEvent(step, secrets?.event(event) ?? event));
    const { run } = await runnerOf(step.type);
    const outcome: StepOutcome | Parked = await run({
      ...filler,
      config,
      variables,
      ports,
      signal,
      since,
      emit,
    });
    if ('until' in outcome) return outcome;
    checkOutput(outcome.output);
    state.characters += checkedCharacters(outcome.output, charactersMax - state.characters);
    return { outcome: secrets?.outcome(outcome) ?? outcome };
  } catch (thrown) {
    signal.throwIfAborted();
    const error = secrets ? secrets.error(thrown) : thrown;
    if (error instanceof StepError) return { error };
    throw error;
  }
}

/** A record may have 100 levels of metadata, and steps give it in a list or an object of theirs. */
const outputLevelsMax = levelsMax + 10;

/** @throws StepError where it could not be passed on: to a sandbox, a template, the table, an answer. */
function checkOutput(output: unknown): void {
  if (!isDeeperThan(outputLevelsMax, output)) return;
  throw new StepError(`The output is nested more than ${outputLevelsMax} levels deep`);
}

/** What all outputs of a run may have together: it holds them until its end. */
const charactersMax = 100_000_000;

function checkedCharacters(output: unknown, left: number): number {
  const characters = characterCount(output, left);
  if (characters <= left) return characters;
  throw new StepError(`The outputs of the run have more than ${charactersMax} characters together`);
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
