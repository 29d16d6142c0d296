import { setTimeout as sleep } from 'node:timers/promises';
import { inPlaceMsMax } from '../../core/errors/run-must-wait.ts';
import type { StepError } from '../../core/errors/step-error.ts';
import type { Attempt } from '../../domain/flows/steps/attempt.ts';
import { pauseBefore, type RetryPolicy, retryPolicy } from '../../domain/flows/steps/retry-policy.ts';
import { pausePath } from '../../domain/flows/steps/run-path.ts';
import type { FlowStep } from '../../domain/flows/steps/step.ts';
import { openAttempts } from '../step-support/attempts.ts';
import { type AttemptOutcome, attemptStep, type Reuse, type StepAttempt } from './try-step.ts';

/** What is kept while a run is suspended between two attempts. */
interface Pause {
  attempts: Attempt[];
  /** How many there were. */
  count: number;
  /** When the next one is due. Unix ms. */
  dueAt: number;
  delayMs: number;
}

export type RetriedAttempt = AttemptOutcome & { attempts: Attempt[]; retryCount: number };

/** Tries a step as its policy says, from where an earlier attempt of the run stopped. */
export async function retried(
  run: StepAttempt,
  step: FlowStep & { retry: RetryPolicy },
  reuse: Reuse | undefined,
): Promise<RetriedAttempt> {
  const { state, frame, path, ports } = run;
  const now = () => ports.now().getTime();
  const kept = state.kept?.get(pausePath(path)) as Pause | undefined;
  const { begin, all } = openAttempts(now, kept?.attempts);
  let pause: Omit<Pause, 'attempts'> = kept ?? { count: 0, dueAt: 0, delayMs: 0 };
  const { maxAttempts } = retryPolicy(step.retry);
  for (;;) {
    const leftMs = pause.dueAt - now();
    const isLong = leftMs > inPlaceMsMax && !state.rehearsal;
    if (isLong) {
      state.onKept?.(pausePath(path), { ...pause, attempts: all() });
      return { until: new Date(pause.dueAt), attempts: all(), retryCount: pause.count };
    }
    if (leftMs > 0 && !state.rehearsal) await sleep(leftMs, undefined, { signal: frame.signal });
    const end = begin({ type: pause.count === 0 ? 'initial' : 'retry', delayMs: pause.delayMs });
    const tried = await attemptStep(run, step, pause.count === 0 ? reuse : undefined);
    const retryCount = pause.count;
    if ('until' in tried || 'isWaiting' in tried) {
      // When the run goes on, so does this attempt.
      if (pause.count > 0) state.onKept?.(pausePath(path), { ...pause, dueAt: 0, attempts: all() });
      return { ...tried, attempts: all(), retryCount };
    }
    if (!('error' in tried)) {
      end({ isEmpty: false });
      return { ...tried, attempts: all(), retryCount };
    }
    end(tried);
    const count = pause.count + 1;
    if (count >= maxAttempts || !isRetried(step.retry, tried.error)) {
      return { ...tried, attempts: all(), retryCount };
    }
    const delayMs = pauseBefore(step.retry, count, Math.random(), tried.error.askedMs);
    pause = { count, delayMs, dueAt: now() + delayMs };
  }
}

function isRetried(policy: RetryPolicy, { kind, code }: StepError): boolean {
  const { on, unsafe } = retryPolicy(policy);
  if (code && !(unsafe && code === 'OUTCOME_UNKNOWN')) return false;
  return on.includes('any') || (kind !== undefined && on.includes(kind));
}
