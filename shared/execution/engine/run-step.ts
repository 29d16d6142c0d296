import { StepError } from '../../core/errors/step-error.ts';
import { truncate } from '../../core/text.ts';
import { beginNote, inSpan, openSpan } from '../../core/tracing/active-span.ts';
import { mergedWarnings } from '../../core/warnings.ts';
import { stepErrorHandling } from '../../domain/flows/steps/error-handling.ts';
import type { FlowStep } from '../../domain/flows/steps/step.ts';
import { openMeter } from '../model-costs/model-meter.ts';
import { answeredStep } from './attempt-step.ts';
import type { EngineState, OpenWait, StepResult } from './engine.ts';
import { withFallbacks } from './fallbacks.ts';
import type { Frame } from './frame.ts';
import type { NotRun } from './run-step-list.ts';

export interface PlacedRun {
  step: FlowStep;
  path: string;
  refused: NotRun | undefined;
}

/** Runs a step with its fallbacks. @throws errors that are not the step's own failure. */
export async function runStep(
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
  const facts = () => ({
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
      ? { ...answeredStep(state, step, answered.output), ...once }
      : await inSpan(opened.span, () => withFallbacks(attempt, step)).catch((error) => {
          if (frame.signal.aborted && !state.signal.aborted) return { error: stopped(frame.signal), ...once };
          state.onInterrupted?.({ ...facts(), status: 'failed' });
          throw error;
        });
  opened.end(tried);
  if (answered?.path === path) opened.waited(ports.now().getTime() - since.getTime());
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
    ...facts(),
    ...beganBefore(since, tried.sums?.beganAt(), ports.now()),
    ...meter.facts(),
    ...tried.sums?.facts(),
    retryCount: tried.retryCount,
    ...(tried.attempts && { attempts: tried.attempts }),
    ...('outcome' in tried && tried.requestHash && { requestHash: tried.requestHash }),
  };
  if ('skipped' in tried) return { ...base, status: 'skipped' };
  if ('error' in tried) {
    const failure = { ...failureOf(tried.error), ...(step.retry && { retryable: false }) };
    const goesOn = stepErrorHandling(step)?.onError === 'continue';
    return withWarning(step, { ...base, status: 'failed', ...failure }, goesOn ? 1 : 0);
  }
  return withWarning(
    step,
    { ...base, ...tried.outcome, status: 'completed' },
    tried.outcome.errors?.length ?? 0,
  );
}

/** Of failures after which the flow goes on as it says. @param failed How many */
function withWarning({ name }: FlowStep, result: StepResult, failed: number): StepResult {
  if (failed === 0) return result;
  const what = result.status === 'failed' ? `The step ${name}` : `Items or branches of the step ${name}`;
  const warning = {
    code: 'STEP_FAILED',
    message: `${what} failed, and the flow went on`,
    count: failed,
  } as const;
  return { ...result, warnings: mergedWarnings(result.warnings ?? [], [warning]) };
}

/** A step that holds steps and was suspended has begun with the first of them. */
function beganBefore(since: Date, first: string | undefined, now: Date) {
  if (first === undefined || Date.parse(first) >= since.getTime()) return {};
  return { startedAt: first, durationMs: Math.max(0, now.getTime() - Date.parse(first)) };
}

const failureOf = ({ message, retryable, code }: StepError) => ({
  error: shortened(message),
  ...(code && { errorCode: code }),
  retryable,
});

/** A step that was stopped by a failure beside it. The reason of the signal says which one. */
const stopped = ({ reason }: AbortSignal) =>
  new StepError(reason instanceof Error ? reason.message : 'Stopped', { retryable: true });

/** A step of the run itself has notes; one of a flow inside of another is a note. */
function openStepSpan({ trace }: EngineState, { id, name, type }: FlowStep, path: string, since: Date) {
  if (trace) {
    const span = openSpan(trace, `step/${path}`, since.getTime());
    const waited = (ms: number) => void span.notes.push({ k: 'w', at: 0, ms });
    return { span, end() {}, waited, notes: () => (span.notes.length > 0 ? { notes: span.notes } : {}) };
  }
  const note = beginNote({ k: 's', n: name, id, ty: type });
  const end = (tried: object) =>
    note?.end('error' in tried ? { st: 'e' } : 'skipped' in tried ? { st: 's' } : {});
  return { span: note?.span, end, waited() {}, notes: () => ({}) };
}

const once = { retryCount: 0, attempts: undefined, sums: undefined };

/** Call only after redaction: a truncated secret value would not be recognised. */
const shortened = (message: string) =>
  truncate(message, messageMax) + (message.length > messageMax ? '…' : '');
const messageMax = 1_000;
