import { setTimeout as sleep } from 'node:timers/promises';
import { inPlaceMsMax } from '../../core/errors/run-must-wait.ts';
import type { StepError } from '../../core/errors/step-error.ts';
import type { Attempt } from '../../domain/flows/steps/attempt.ts';
import {
  type ErrorHandling,
  fallbackAttempts,
  stepErrorHandling,
} from '../../domain/flows/steps/error-handling.ts';
import { computeRetryPause, type RetryPolicy, retryPolicy } from '../../domain/flows/steps/retry-policy.ts';
import { pausePath } from '../../domain/flows/steps/run-path.ts';
import type { FlowStep } from '../../domain/flows/steps/step.ts';
import { modelAlternatives, openAttempts, resultBeginning } from '../step-support/attempts.ts';
import {
  type AttemptOutcome,
  attemptStep,
  hashOfFallback,
  type Reuse,
  type StepAttempt,
} from './try-step.ts';

type Tried = AttemptOutcome & { retryCount: number; attempts?: Attempt[] };

export async function withFallbacks(run: StepAttempt, step: FlowStep): Promise<Tried> {
  const policy = stepErrorHandling(step);
  const { ports, state, frame } = run;
  const known =
    step.retry && (await retried(run, { ...step, retry: step.retry }, reuseFor(run, step, policy)));
  if (policy?.onError !== 'fallback') {
    return known ? asTried(known) : { ...(await attemptStep(run, step, reuseFor(run, step))), retryCount: 0 };
  }
  if (known && !triggers(policy, known)) return asTried(known);
  const { begin, made } = openAttempts(() => ports.now().getTime(), known?.attempts);
  const attempt = async (
    how: Parameters<typeof begin>[0],
    overrides: Record<string, unknown> = {},
    reuse?: Reuse,
  ) => {
    const end = begin(how);
    const tried = await attemptStep(run, { ...step, config: { ...step.config, ...overrides } }, reuse);
    if ('error' in tried) end(tried);
    else if ('outcome' in tried) end({ isEmpty: isEmpty(tried.outcome.output) });
    return tried;
  };
  const warnOf = (type: string) =>
    ports.warn({
      code: 'FALLBACK_USED',
      message: `The step failed or gave nothing, and its fallback of the type ${type} took its place`,
    });
  let tried = known ?? (await attempt({ type: 'initial' }, {}, reuseFor(run, step, policy)));
  const { requestHash: first } = tried;
  let retryCount = known?.retryCount ?? 0;
  const alternatives = () => modelAlternatives(ports.model, String(step.config.model ?? 'default'));
  for (const fallback of policy.fallbacks ?? []) {
    if (!triggers(policy, tried)) break;
    const { type, delay: delayMs } = fallback;
    if (type === 'retry' && known) continue;
    if (isOfUnknownOutcome(tried) && type !== 'message') continue;
    if (delayMs && !state.rehearsal) await sleep(delayMs, undefined, { signal: frame.signal });
    if (type === 'message') {
      begin({ type, delayMs })({ isEmpty: false });
      warnOf(type);
      return { outcome: { output: fallback.message }, retryCount, ...made() };
    }
    for (const [index, overrides] of (await fallbackAttempts(fallback, alternatives)).entries()) {
      if (!triggers(policy, tried)) break;
      retryCount++;
      tried = await attempt(resultBeginning(fallback, overrides, index), overrides);
      if ('outcome' in tried && !triggers(policy, tried)) warnOf(type);
    }
  }
  const requestHash = first && retryCount > 0 ? hashOfFallback(first, policy) : first;
  return { ...tried, requestHash, retryCount, ...made() };
}

const asTried = ({ attempts, ...tried }: RetriedAttempt): Tried => ({
  ...tried,
  ...(attempts.length > 1 && { attempts }),
});

/** What stands in for a step: a result of its request, or one that its fallbacks gave for it. */
function reuseFor({ state }: StepAttempt, { id }: FlowStep, policy?: ErrorHandling): Reuse | undefined {
  const { earlier } = state;
  if (!earlier) return undefined;
  return async (hash) => {
    const found = await earlier.ofRequest(id, policy ? [hash, hashOfFallback(hash, policy)] : [hash]);
    const isRefused = found && policy && found.requestHash === hash && triggers(policy, { outcome: found });
    return isRefused ? undefined : found;
  };
}

function triggers(
  { triggers = [{ type: 'error' as const }] }: ErrorHandling,
  tried: AttemptOutcome,
): boolean {
  if ('error' in tried) {
    const mayFollow = !tried.error.code || isOfUnknownOutcome(tried);
    const { emptyOutput } = tried.error;
    return (
      mayFollow && triggers.some(({ type }) => type === 'error' || (type === 'empty-output' && emptyOutput))
    );
  }
  return (
    'outcome' in tried &&
    isEmpty(tried.outcome.output) &&
    triggers.some(({ type }) => type === 'empty-output')
  );
}

/** What may have been done is not done again. */
const isOfUnknownOutcome = (tried: AttemptOutcome) =>
  'error' in tried && tried.error.code === 'OUTCOME_UNKNOWN';

const isEmpty = (output: unknown) =>
  output === null || output === undefined || (typeof output === 'string' && output.trim() === '');

/** What is kept while a run is suspended between two attempts. */
interface Pause {
  attempts: Attempt[];
  /** How many there were. */
  count: number;
  /** When the next one is due. Unix ms. */
  dueAt: number;
  delayMs: number;
}

type RetriedAttempt = AttemptOutcome & { attempts: Attempt[]; retryCount: number };

/** Tries a step as its policy says, from where an earlier attempt of the run stopped. */
async function retried(
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
    const delayMs = computeRetryPause(step.retry, count, Math.random(), tried.error.askedMs);
    pause = { count, delayMs, dueAt: now() + delayMs };
  }
}

function isRetried(policy: RetryPolicy, { kind, code }: StepError): boolean {
  const { on, unsafe } = retryPolicy(policy);
  if (code && !(unsafe && code === 'OUTCOME_UNKNOWN')) return false;
  return on.includes('any') || (kind !== undefined && on.includes(kind));
}
