import type { EventOf } from '../api/api.ts';

export type RunEvent = EventOf<'POST /v1/dispatch'>;
type Of<Type extends RunEvent['type']> = Extract<RunEvent, { type: Type }>;

export interface TimeLineTool {
  id: string;
  name: string;
  /** As the model writes it, until it is whole. */
  written: string;
  input?: unknown;
  output?: unknown;
  error?: string | undefined;
  durationMs?: number;
}

export interface TimeLineStep {
  id: string;
  /** The places of the steps around it, and its own. */
  path: string;
  name: string;
  stepType: string;
  status: 'running' | 'completed' | 'failed' | 'skipped';
  when?: string | undefined;
  durationMs?: number;
  tokens?: number | undefined;
  cost?: string | null | undefined;
  prompt?: string | undefined;
  output?: unknown;
  error?: string | undefined;
  /** What a model says while it works, by the id of the text. */
  texts: Readonly<Record<string, string>>;
  tools: readonly TimeLineTool[];
  notes: readonly { name: string; value: unknown }[];
}

/** What is known of a run of a flow from its events. */
export interface TimeLine {
  steps: readonly TimeLineStep[];
  totalSteps?: number | undefined;
  wait?: Pick<Of<'await'>, 'awaitReason' | 'until' | 'batchExecutionId' | 'toolName'>;
  end?: {
    success: boolean;
    error?: string | undefined;
    output?: unknown;
    durationMs?: number;
    cost?: string | null;
    tokens?: { input: number; output: number };
  };
}

export const emptyTimeLine: TimeLine = { steps: [] };

/** Adds events in a batch, so that the list is copied once for many of them. */
export function withRunEvents(before: TimeLine, events: readonly RunEvent[]): TimeLine {
  const steps = [...before.steps];
  const places = new Map(steps.map(({ id }, index) => [id, index]));
  const change = (id: string | undefined, edit: (step: TimeLineStep) => Partial<TimeLineStep>) => {
    const index = id === undefined ? undefined : places.get(id);
    const step = index === undefined ? undefined : steps[index];
    if (index !== undefined && step) steps[index] = { ...step, ...edit(step) };
  };
  const begin = ({ id, path, name }: Pick<TimeLineStep, 'id' | 'path' | 'name'>, stepType = '') => {
    if (places.has(id)) return;
    places.set(id, steps.length);
    steps.push({ id, path, name, stepType, status: 'running', texts: {}, tools: [], notes: [] });
  };
  let run = before;
  for (const event of events) {
    if (event.type === 'step_start' || event.type === 'step_skip' || event.type === 'step_complete')
      begin(event, event.type === 'step_start' ? event.stepType : '');
    if ('stepId' in event && event.stepId) change(event.stepId, (step) => partOf(step, event));
    else if (event.type === 'step_complete' || event.type === 'step_skip')
      change(event.id, () => outcomeOf(event));
    else run = { ...run, ...ofRun(event) };
  }
  return { ...run, steps };
}

function outcomeOf(event: Of<'step_complete'> | Of<'step_skip'>): Partial<TimeLineStep> {
  if (event.type === 'step_skip') return { status: 'skipped', when: event.when };
  const { success, result, error, durationMs, tokensUsed, cost, resolvedPrompt } = event;
  return {
    ...{ status: success ? 'completed' : 'failed', output: result, error, durationMs },
    ...{ tokens: tokensUsed, cost, prompt: resolvedPrompt },
  };
}

/** What an event within a step adds to it. */
function partOf(step: TimeLineStep, event: RunEvent): Partial<TimeLineStep> {
  const tool = (id: string, edit: (before: TimeLineTool) => Partial<TimeLineTool>) => ({
    tools: step.tools.map((each) => (each.id === id ? { ...each, ...edit(each) } : each)),
  });
  switch (event.type) {
    case 'text_delta':
    case 'reasoning_delta':
      return { texts: { ...step.texts, [event.id]: (step.texts[event.id] ?? '') + event.delta } };
    case 'text_complete':
    case 'reasoning_complete':
      return { texts: { ...step.texts, [event.id]: event.text } };
    case 'tool_start':
      return { tools: [...step.tools, { id: event.toolCallId, name: event.toolName, written: '' }] };
    case 'tool_input_delta':
      return tool(event.toolCallId, ({ written }) => ({ written: written + event.delta }));
    case 'tool_input_complete':
      return tool(event.toolCallId, () => ({ input: event.parameters }));
    case 'tool_complete': {
      const { result: output, error, executionTime: durationMs } = event;
      return tool(event.toolCallId, () => ({ output, error, durationMs }));
    }
    case 'custom':
      return { notes: [...step.notes, { name: event.name, value: event.value }] };
    case 'source': {
      const { title, url } = event.source;
      return { notes: [...step.notes, { name: 'source', value: [title, url].filter(Boolean).join(' ') }] };
    }
    default:
      return {};
  }
}

function ofRun(event: RunEvent): Partial<TimeLine> {
  switch (event.type) {
    case 'execution_start':
      return { totalSteps: event.totalSteps };
    case 'await':
      return { wait: event };
    case 'execution_complete': {
      const { success, error, finalOutput: output, durationMs, totalCost: cost, totalTokens: tokens } = event;
      return { end: { success, error, output, durationMs, cost, tokens } };
    }
    case 'execution_error':
      return { end: { success: false, error: event.error.message } };
    default:
      return {};
  }
}
