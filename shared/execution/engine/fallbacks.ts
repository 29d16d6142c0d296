import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ErrorHandling,
  errorHandlingOf,
  fallbackAttempts,
} from '../../domain/flows/steps/error-handling.ts';
import type { FlowStep } from '../../domain/flows/steps/step.ts';
import { alternativesTo } from '../agent-loop/ask-model.ts';
import { type Attempt, type AttemptOutcome, attemptStep } from './attempt-step.ts';

/** Runs a step, then the fallbacks of its error handling. */
export async function withFallbacks(
  attempt: Attempt,
  step: FlowStep,
): Promise<AttemptOutcome & { retryCount: number }> {
  const { signal } = attempt.state;
  let tried = await attemptStep(attempt, step);
  let retryCount = 0;
  const policy = errorHandlingOf(step);
  const alternatives = () => alternativesTo(attempt.ports.model, String(step.config.model ?? 'default'));
  if (policy?.onError !== 'fallback') return { ...tried, retryCount };
  for (const fallback of policy.fallbacks ?? []) {
    if (!triggers(policy, tried)) break;
    if (fallback.delay) await sleep(fallback.delay, undefined, { signal });
    if (fallback.type === 'message') return { outcome: { output: fallback.message }, retryCount };
    for (const overrides of await fallbackAttempts(fallback, alternatives)) {
      if (!triggers(policy, tried)) break;
      retryCount++;
      tried = await attemptStep(attempt, { ...step, config: { ...step.config, ...overrides } });
    }
  }
  return { ...tried, retryCount };
}

function triggers(
  { triggers = [{ type: 'error' as const }] }: ErrorHandling,
  tried: AttemptOutcome,
): boolean {
  if ('error' in tried) return triggers.some(({ type }) => type === 'error');
  return (
    'outcome' in tried &&
    isEmpty(tried.outcome.output) &&
    triggers.some(({ type }) => type === 'empty-output')
  );
}

const isEmpty = (output: unknown) =>
  output === null || output === undefined || (typeof output === 'string' && output.trim() === '');
