/**
 * Maps the events of a run, of a flow or of an agent, to the public events of a stream, with pings in silence.
 * Flows: events are numbered here without gaps. Per run the mapper remembers the definition, the ids of the texts and
 * what is open in each step: a step that ends, begins its text anew or is cut off first gets the ends of what it had
 * begun, so that every start has its end, unless the run waits: steps that are open then stay so, and the stream ends
 * with `await`.
 * Agents (`agentEvents`): events keep the numbers of the run's log, and a ping has the number of the event before it.
 * Dispatch, chat, A2A and the endpoints of agent runs read these events; the schemas are in `stream-event.ts`.
 */
import { formatCost } from '../../adapters/ports/spending.ts';
import { type ShownPlace, toShownPlace } from '../../domain/flows/steps/run-path.ts';
import { type FlowStep, outputVariableName, type StepEvent } from '../../domain/flows/steps/step.ts';
import { openStarts, toStepEvent } from '../../execution/agent-loop/progress.ts';
import type { AgentRunEvent, NumberedEvent } from '../../execution/agent-runs/agent-run-event.ts';
import type { FlowRunEvent, FlowRunEventOf } from '../../execution/runs/flow-run-event.ts';
import { pingEveryMs } from '../../platform/http/responses/streamed-body.ts';
import { toTokenCounts } from '../json/token-counts.ts';
import type { EventBody, StreamEvent } from './stream-event.ts';

/** Maps the events of an execution to those of POST /v1/dispatch: numbered without gaps, with a ping after each silence. */
export async function* flowEvents(
  events: AsyncIterable<FlowRunEvent>,
  everyMs = pingEveryMs,
): AsyncGenerator<StreamEvent, void> {
  const mapper = openMapper();
  let executionId = '';
  let seq = 0;
  for await (const event of addPings(events, everyMs)) {
    if (event !== 'ping' && event.type === 'started') executionId = event.execution.id;
    const bodies: EventBody[] =
      event === 'ping' ? [{ type: 'ping', timestamp: new Date().toISOString() }] : mapper(event);
    for (const body of bodies) yield { ...body, executionId, seq: seq++ } as StreamEvent;
  }
}

/** Remembers what later events repeat, and numbers the texts, since a step may emit several. */
function openMapper() {
  let totalSteps = 0;
  let definition: readonly FlowStep[] = [];
  const counts = { text: 0, reasoning: 0 };
  /** Of the newest text of a step, since steps run at the same time. */
  const ids = new Map<string, string>();
  const getTextId = (kind: keyof typeof counts, path: string, isFirst: boolean) => {
    const name = `${kind} ${path}`;
    if (isFirst) ids.set(name, `${kind}_${++counts[kind]}`);
    return ids.get(name) ?? `${kind}_${counts[kind]}`;
  };
  const showPlace = (path: string) => toShownPlace(definition, path);
  const stepEvent = ({ id: stepId }: FlowStep, path: string, event: StepEvent): EventBody => {
    const part = { stepId, ...(isInside(path) && showPlace(path)) };
    switch (event.type) {
      case 'text_start':
        return { ...event, id: getTextId('text', path, true), ...part, role: 'assistant' };
      case 'text_delta':
      case 'text_complete':
        return { ...event, id: getTextId('text', path, false), ...part };
      case 'reasoning_start':
        return { ...event, id: getTextId('reasoning', path, true), ...part };
      case 'reasoning_delta':
      case 'reasoning_complete':
        return { ...event, id: getTextId('reasoning', path, false), ...part };
      default:
        return { ...event, ...part };
    }
  };
  const steps = openSteps();
  const toStepPlace = ({ id, name }: FlowStep, path: string) => ({
    id,
    name,
    index: Number.parseInt(path, 10),
    path,
    ...showPlace(path),
  });
  const toStepEvents = (step: FlowStep, path: string, events: readonly StepEvent[]) =>
    events.map((event) => stepEvent(step, path, event));
  const endOpenSteps = (error: string): EventBody[] =>
    steps.all().flatMap(({ step, path, startedAt }) => {
      const durationMs = Math.round(performance.now() - startedAt);
      const end = { success: false, result: null, error, durationMs };
      return [
        ...toStepEvents(step, path, steps.end(path, error)),
        { type: 'step_complete' as const, ...toStepPlace(step, path), ...end },
      ];
    });
  const endStep = ({ step, result: { path, error } }: FlowRunEventOf<'step-ended'>) =>
    toStepEvents(step, path, steps.end(path, error));
  const toWarnings = ({ step, result: { path, warnings = [] } }: FlowRunEventOf<'step-ended'>) =>
    warnings.map(
      (warning): EventBody => ({
        type: 'warning',
        stepId: step.id,
        ...(isInside(path) && showPlace(path)),
        ...warning,
      }),
    );
  return (event: FlowRunEvent): EventBody[] => {
    switch (event.type) {
      case 'step-started':
        steps.begin(event.step, event.path);
        return [toBody(event)];
      case 'step-event': {
        const { step, path } = event;
        const ends = toStepEvents(step, path, steps.note(path, event.event));
        return [...ends, toBody(event)];
      }
      case 'step-ended':
        return [...endStep(event), ...toWarnings(event), toBody(event)];
      case 'cut-off':
        return [...endOpenSteps(event.error.message), toBody(event)];
      case 'ended':
        return [...endOpenSteps(event.error ?? 'The run ended before the step did'), toBody(event)];
      default:
        return [toBody(event)];
    }
  };

  function toBody(event: FlowRunEvent): EventBody {
    switch (event.type) {
      case 'started': {
        ({ totalSteps, steps: definition } = event);
        const { startedAt, flowId, flowName } = event.execution;
        return { type: 'execution_start', kind: 'flow', startedAt, flowId, flowName, totalSteps };
      }
      case 'step-started':
        return stepStart(event, toStepPlace(event.step, event.path), totalSteps);
      case 'step-event':
        return stepEvent(event.step, event.path, event.event);
      case 'step-ended': {
        const place = toStepPlace(event.step, event.result.path);
        return event.result.status === 'skipped' ? stepSkip(event, place) : stepComplete(event, place);
      }
      case 'suspended': {
        const { at: awaitedAt, until, batchId: batchExecutionId, waits } = event;
        const wait = { awaitReason: 'wait', awaitedAt, until: until.toISOString() } as const;
        return { type: 'await', ...wait, batchExecutionId, ...(waits.length > 0 && { waits }) };
      }
      case 'awaiting': {
        const { at: awaitedAt, toolCallId, call } = event;
        return { type: 'await', awaitReason: 'local_tool', awaitedAt, toolCallId, ...call };
      }
      case 'cut-off':
        return { type: 'execution_error', kind: 'flow', error: event.error };
      case 'ended':
        return executionComplete(event, totalSteps);
    }
  }
}

const isInside = (path: string) => path.includes('.');

interface StepPlace extends ShownPlace {
  id: string;
  name: string;
  index: number;
  path: string;
}

function stepStart(
  { step, at }: FlowRunEventOf<'step-started'>,
  place: StepPlace,
  totalSteps: number,
): EventBody {
  const outputVariable = outputVariableName(step);
  return {
    type: 'step_start',
    ...place,
    stepType: step.type,
    totalSteps,
    ...(outputVariable && { outputVariable }),
    startedAt: at,
  };
}

const stepSkip = ({ step, at }: FlowRunEventOf<'step-ended'>, place: StepPlace): EventBody => ({
  type: 'step_skip',
  ...place,
  ...(step.when && { when: step.when }),
  skippedAt: at,
});

function stepComplete({ result }: FlowRunEventOf<'step-ended'>, place: StepPlace): EventBody {
  const { status, output = null, error, durationMs, promptTokens, completionTokens } = result;
  return {
    type: 'step_complete',
    ...place,
    success: status === 'completed',
    result: output,
    ...(error !== undefined && { error }),
    ...(result.errorCode && { code: result.errorCode }),
    durationMs,
    ...(promptTokens !== undefined && { tokensUsed: promptTokens + (completionTokens ?? 0) }),
    ...(result.estimatedCost !== undefined && { cost: result.estimatedCost }),
    ...(result.resolvedPrompt !== undefined && { resolvedPrompt: result.resolvedPrompt }),
    ...(result.attempts && { attempts: result.attempts }),
  };
}

function executionComplete(
  { success, output, error, errorCode: code, at, durationMs, totals }: FlowRunEventOf<'ended'>,
  totalSteps: number,
): EventBody {
  const { completedSteps, failedSteps } = totals;
  return {
    type: 'execution_complete',
    kind: 'flow',
    success,
    finalOutput: output,
    ...(error !== null && { error }),
    ...(code && { code }),
    totalCost: formatCost(totals),
    totalTokens: toTokenCounts(totals),
    durationMs,
    totalSteps,
    successfulSteps: completedSteps,
    failedSteps,
    ...(totals.warnings.length > 0 && { warnings: [...totals.warnings] }),
    completedAt: at,
  };
}

interface OpenStep {
  step: FlowStep;
  path: string;
  startedAt: number;
  starts: ReturnType<typeof openStarts>;
}

/** Keeps the steps that have begun and not ended, by path, and what has begun in them. */
function openSteps() {
  const open = new Map<string, OpenStep>();
  const closeStarts = ({ starts }: OpenStep, error: string, isOver?: Parameters<typeof starts.ends>[1]) =>
    [...starts.ends({ error, at: '' }, isOver)].flatMap((event) => toStepEvent(event) ?? []);
  return {
    begin(step: FlowStep, path: string): void {
      open.set(path, { step, path, startedAt: performance.now(), starts: openStarts() });
    },
    /** @returns what ends before this event of a step: another attempt begins its text anew. */
    note(path: string, event: StepEvent): StepEvent[] {
      const openStep = open.get(path);
      if (!openStep) return [];
      const isText = event.type === 'text_start' || event.type === 'reasoning_start';
      const ends = isText ? closeStarts(openStep, '', ({ type }) => type === event.type) : [];
      openStep.starts.track(event);
      return ends;
    },
    /** @returns the ends of what is open in a step that ends. */
    end(path: string, error = 'The step ended before this did'): StepEvent[] {
      const openStep = open.get(path);
      open.delete(path);
      return openStep ? closeStarts(openStep, error) : [];
    },
    /** The steps that are open, the last one first. */
    all: () => [...open.values()].reverse(),
  };
}

/** Events keep their numbers; a ping after each silence has the number of the event before it. */
export async function* agentEvents(
  events: AsyncIterable<NumberedEvent>,
  everyMs = pingEveryMs,
): AsyncGenerator<StreamEvent, void> {
  let last = { executionId: '', seq: 0 };
  for await (const event of addPings(events, everyMs)) {
    if (event === 'ping') {
      yield { type: 'ping', timestamp: new Date().toISOString(), ...last };
      continue;
    }
    const { executionId, seq } = event;
    last = { executionId, seq };
    yield { ...toBody(event), ...last } as StreamEvent;
  }
}

function toBody({ event, turnId }: NumberedEvent): EventBody {
  const part = turnId ? { turnId } : {};
  switch (event.type) {
    case 'started': {
      const { agentId, agentName, turnsMax: maxTurns, startedAt } = event.execution;
      return { type: 'execution_start', kind: 'agent', startedAt, agentId, agentName, maxTurns };
    }
    case 'text_start':
      return { ...event, id: `text_${turnId}`, ...part, role: 'assistant' };
    case 'text_delta':
    case 'text_complete':
      return { ...event, id: `text_${turnId}`, ...part };
    case 'reasoning_start':
    case 'reasoning_delta':
    case 'reasoning_complete':
      return { ...event, id: `reasoning_${turnId}`, ...part };
    case 'approval_start':
    case 'turn_start':
    case 'approval_complete':
      return event;
    case 'turn_complete': {
      const { type, id, role, iteration, content, spending, ...end } = event;
      const took = { tokens: toTokenCounts(spending), cost: formatCost(spending) };
      return { type, id, role, iteration, content, ...took, ...end };
    }
    case 'awaiting':
      return toAwait(event);
    case 'ended':
      return toComplete(event);
    default:
      return { ...event, ...part };
  }
}

type EventOf<Type extends AgentRunEvent['type']> = Extract<AgentRunEvent, { type: Type }>;

function toAwait({ wait, at: awaitedAt }: EventOf<'awaiting'>): EventBody {
  const { kind, callId: toolCallId, approvalId, toolName, parameters, until } = wait;
  const awaitReason = kind === 'output' ? 'local_tool' : 'approval';
  return {
    type: 'await',
    awaitReason,
    awaitedAt,
    until,
    toolCallId,
    toolName,
    parameters,
    ...(approvalId && { approvalId }),
  };
}

function toComplete({ end, summary }: EventOf<'ended'>): EventBody {
  const { iterations, durationMs } = summary;
  return {
    type: 'execution_complete',
    kind: 'agent',
    success: end.error === null,
    finalOutput: end.output,
    ...(end.error !== null && { error: end.error }),
    ...(end.errorCode && { code: end.errorCode }),
    iterations,
    stopReason: end.stopReason,
    totalCost: formatCost(summary),
    totalTokens: toTokenCounts(summary),
    durationMs,
    ...(end.attempts && { attempts: end.attempts }),
    ...(summary.warnings.length > 0 && { warnings: [...summary.warnings] }),
    completedAt: end.at,
  };
}

/** Adds a ping after each silence of `everyMs`, so that proxies do not close the idle connection. */
export async function* addPings<T>(
  events: AsyncIterable<T>,
  everyMs: number,
): AsyncGenerator<T | 'ping', void> {
  const iterator = events[Symbol.asyncIterator]();
  let ping = () => {};
  // One timer for all events: an event may be a word, and a timer of its own costs more than the rest of it.
  const silence = setTimeout(() => ping(), everyMs);
  try {
    for (let next = iterator.next(); ; ) {
      silence.refresh();
      const first = await new Promise<IteratorResult<T> | 'ping'>((resolve, reject) => {
        ping = () => resolve('ping');
        next.then(resolve, reject);
      });
      if (first === 'ping') yield first;
      else if (first.done) return;
      else {
        yield first.value;
        next = iterator.next();
      }
    }
  } finally {
    clearTimeout(silence);
    await iterator.return?.();
  }
}
