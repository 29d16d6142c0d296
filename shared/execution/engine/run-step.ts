import { truncate } from '../../core/text.ts';
import { beginNote, inSpan, openSpan } from '../../core/tracing/active-span.ts';
import type { FlowStep } from '../../domain/flows/steps/step.ts';
import type { LocalCall, Suspended } from '../step-support/step-runner.ts';
import { answeredStep } from './attempt-step.ts';
import type { EngineState, NotRun, StepResult, StepWait } from './engine.ts';
import { withFallbacks } from './fallbacks.ts';
import { openMeter } from './model-meter.ts';

/** Runs a step with its fallbacks. @throws errors that are not the step's own failure. */
export async function runStep(
  state: EngineState,
  step: FlowStep,
  path: string,
  refused: NotRun | undefined,
): Promise<StepResult | ({ wait: StepWait } & (Suspended | { call: LocalCall }))> {
  const { waiting, ports } = state;
  const since = waiting?.path === path ? new Date(waiting.since) : ports.now();
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
  const tried = refused
    ? { ...refused, ...once }
    : state.answered?.path === path
      ? { ...answeredStep(state, state.answered.output), ...once }
      : await inSpan(opened.span, () => withFallbacks({ state, ports: meter.ports, since }, step)).catch(
          (error) => {
            state.onInterrupted?.({ ...facts(), status: 'failed' });
            throw error;
          },
        );
  opened.end(tried);
  if (state.answered?.path === path) opened.waited(ports.now().getTime() - since.getTime());
  const wait = { path, since: startedAt };
  if ('until' in tried) return { wait, until: tried.until };
  if ('awaitsCaller' in tried) return { wait, call: tried.awaitsCaller };
  const base = {
    ...facts(),
    ...meter.facts(),
    retryCount: tried.retryCount,
    ...(tried.attempts && { attempts: tried.attempts }),
    ...('outcome' in tried && tried.requestHash && { requestHash: tried.requestHash }),
  };
  if ('skipped' in tried) return { ...base, status: 'skipped' };
  if ('error' in tried) {
    const { message, retryable, code } = tried.error;
    return {
      ...base,
      status: 'failed',
      error: shortened(message),
      ...(code && { errorCode: code }),
      retryable,
    };
  }
  return { ...base, ...tried.outcome, status: 'completed' };
}

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

const once = { retryCount: 0, attempts: undefined };

/** Call only after redaction: a truncated secret value would not be recognised. */
const shortened = (message: string) =>
  truncate(message, messageMax) + (message.length > messageMax ? '…' : '');
const messageMax = 1_000;
