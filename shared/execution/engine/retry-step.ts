/**
 * Repeats a step: its retries by policy, and then its fallbacks.
 * A retry waits in place up to `inPlaceMsMax`; a longer pause suspends the run, and the attempts so far are kept under
 * the step's path. Fallbacks follow in their order while the policy's triggers hold: other models, other settings, or a
 * fixed message.
 * An act of unknown outcome is repeated by neither. A result that a fallback gave is stored under a hash that includes
 * the policy, so that other fallbacks do not reuse it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { inPlaceMsMax, type StepError } from '../../core/errors/step-error.ts';
import type { Attempt } from '../../domain/flows/steps/attempt.ts';
import {
  type ErrorHandling,
  fallbackAttempts,
  stepErrorHandling,
} from '../../domain/flows/steps/error-handling.ts';
import { computeRetryPause, type RetryPolicy, retryPolicy } from '../../domain/flows/steps/retry-policy.ts';
import { pausePath } from '../../domain/flows/steps/run-path.ts';
import type { FlowStep } from '../../domain/flows/steps/step.ts';
import { listModelAlternatives, openAttempts, resultBeginning } from '../step-support/attempts.ts';
import { type AttemptOutcome, attemptStep, hashFallback, type Reuse, type StepAttempt } from './try-step.ts';

type Tried = AttemptOutcome & { retryCount: number; attempts?: Attempt[] };

export async function tryWithFallbacks(run: StepAttempt, step: FlowStep): Promise<Tried> {
  const policy = stepErrorHandling(step);
  const { ports, state, frame } = run;
  const retriedAttempt =
    step.retry && (await retryStep(run, { ...step, retry: step.retry }, createReuse(run, step, policy)));
  if (policy?.onError !== 'fallback') {
    return retriedAttempt
      ? toTried(retriedAttempt)
      : { ...(await attemptStep(run, step, createReuse(run, step))), retryCount: 0 };
  }
  if (retriedAttempt && !needsFallback(policy, retriedAttempt)) return toTried(retriedAttempt);
  const { begin, made } = openAttempts(() => ports.now().getTime(), retriedAttempt?.attempts);
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
  const warnFallback = (type: string) =>
    ports.warn({
      code: 'FALLBACK_USED',
      message: `The step failed or gave nothing, and its fallback of the type ${type} took its place`,
    });
  let tried = retriedAttempt ?? (await attempt({ type: 'initial' }, {}, createReuse(run, step, policy)));
  const { requestHash: first } = tried;
  let retryCount = retriedAttempt?.retryCount ?? 0;
  const getAlternatives = () => listModelAlternatives(ports.model, String(step.config.model ?? 'default'));
  for (const fallback of policy.fallbacks ?? []) {
    if (!needsFallback(policy, tried)) break;
    const { type, delay: delayMs } = fallback;
    if (type === 'retry' && retriedAttempt) continue;
    if (isOfUnknownOutcome(tried) && type !== 'message') continue;
    if (delayMs && !state.rehearsal) await sleep(delayMs, undefined, { signal: frame.signal });
    if (type === 'message') {
      begin({ type, delayMs })({ isEmpty: false });
      warnFallback(type);
      return { outcome: { output: fallback.message }, retryCount, ...made() };
    }
    for (const [index, overrides] of (await fallbackAttempts(fallback, getAlternatives)).entries()) {
      if (!needsFallback(policy, tried)) break;
      retryCount++;
      tried = await attempt(resultBeginning(fallback, overrides, index), overrides);
      if ('outcome' in tried && !needsFallback(policy, tried)) warnFallback(type);
    }
  }
  const requestHash = first && retryCount > 0 ? hashFallback(first, policy) : first;
  return { ...tried, requestHash, retryCount, ...made() };
}

const toTried = ({ attempts, ...tried }: RetriedAttempt): Tried => ({
  ...tried,
  ...(attempts.length > 1 && { attempts }),
});

/** What stands in for a step: a result of its request, or one that its fallbacks gave for it. */
function createReuse({ state }: StepAttempt, { id }: FlowStep, policy?: ErrorHandling): Reuse | undefined {
  const { earlier } = state;
  if (!earlier) return undefined;
  return async (hash) => {
    const found = await earlier.findByRequest(id, policy ? [hash, hashFallback(hash, policy)] : [hash]);
    const isRefused =
      found && policy && found.requestHash === hash && needsFallback(policy, { outcome: found });
    return isRefused ? undefined : found;
  };
}

function needsFallback(
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
async function retryStep(
  run: StepAttempt,
  step: FlowStep & { retry: RetryPolicy },
  reuse: Reuse | undefined,
): Promise<RetriedAttempt> {
  const { state, frame, path, ports } = run;
  const nowMs = () => ports.now().getTime();
  const kept = state.kept?.get(pausePath(path)) as Pause | undefined;
  const { begin, all } = openAttempts(nowMs, kept?.attempts);
  let pause: Omit<Pause, 'attempts'> = kept ?? { count: 0, dueAt: 0, delayMs: 0 };
  const { maxAttempts } = retryPolicy(step.retry);
  for (;;) {
    const leftMs = pause.dueAt - nowMs();
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
    pause = { count, delayMs, dueAt: nowMs() + delayMs };
  }
}

function isRetried(policy: RetryPolicy, { kind, code }: StepError): boolean {
  const { on, unsafe } = retryPolicy(policy);
  if (code && !(unsafe && code === 'OUTCOME_UNKNOWN')) return false;
  return on.includes('any') || (kind !== undefined && on.includes(kind));
}
