import type { Attempts, RunEvent, RunEventOf } from './parts/events.ts';
import { addToParts, type OpenParts, openParts, type RunPart } from './parts/parts.ts';
import { type RunEnd, toRunEnd } from './parts/run-end.ts';

export interface FlowRunStep {
  /** Of its definition: an item of a map runs it once more. */
  id: string;
  /** The steps around it and its own: `each[3]/ask`. */
  stepPath: string;
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
  attempts?: Attempts | undefined;
  parts: readonly RunPart[];
}

/** What is known of a run of a flow from its events. */
export interface FollowedFlowRun {
  steps: readonly FlowRunStep[];
  totalSteps?: number | undefined;
  wait?: Pick<RunEventOf<'await'>, 'awaitReason' | 'until' | 'batchExecutionId' | 'toolName' | 'waits'>;
  end?: RunEnd;
}

export const emptyFlowRun: FollowedFlowRun = { steps: [] };

/** Adds events in a batch, so that the list is copied once for many of them. */
export function withFlowEvents(before: FollowedFlowRun, events: readonly RunEvent[]): FollowedFlowRun {
  const steps = [...before.steps];
  const places = new Map(steps.map(({ stepPath }, index) => [stepPath, index]));
  const drafts = new Map<string, OpenParts>();
  const change = (key: string, edit: (step: FlowRunStep) => Partial<FlowRunStep>) => {
    const index = places.get(key);
    const step = index === undefined ? undefined : steps[index];
    if (index !== undefined && step) steps[index] = { ...step, ...edit(step) };
  };
  const draftOf = (key: string) => {
    const draft = drafts.get(key) ?? openParts(steps[places.get(key) ?? -1]?.parts ?? []);
    drafts.set(key, draft);
    return draft;
  };
  let run = before;
  for (const event of events) {
    if (event.type === 'step_start' || event.type === 'step_skip' || event.type === 'step_complete') {
      const key = event.stepPath ?? event.id;
      if (!places.has(key)) {
        places.set(key, steps.length);
        steps.push(newStep(event));
      }
      change(key, () => outcomeOf(event));
    } else if ('stepId' in event && event.stepId) addToParts(draftOf(event.stepPath ?? event.stepId), event);
    else run = { ...run, ...ofRun(event) };
  }
  for (const [key, { parts }] of drafts) change(key, () => ({ parts }));
  return { ...run, steps };
}

type StepEvent = RunEventOf<'step_start' | 'step_skip' | 'step_complete'>;

const newStep = ({ id, path, name, stepPath = id }: StepEvent): FlowRunStep => ({
  id,
  stepPath,
  path,
  name,
  stepType: '',
  status: 'running',
  parts: [],
});

function outcomeOf(event: StepEvent): Partial<FlowRunStep> {
  if (event.type === 'step_start') return { stepType: event.stepType };
  if (event.type === 'step_skip') return { status: 'skipped', when: event.when };
  const { success, result, error, durationMs, tokensUsed, cost, resolvedPrompt, attempts } = event;
  return {
    status: success ? 'completed' : 'failed',
    output: result,
    error,
    durationMs,
    tokens: tokensUsed,
    cost,
    prompt: resolvedPrompt,
    attempts,
  };
}

function ofRun(event: RunEvent): Partial<FollowedFlowRun> {
  if (event.type === 'execution_start') return { totalSteps: event.totalSteps };
  if (event.type === 'await') return { wait: event };
  const end = toRunEnd(event);
  return end ? { end } : {};
}
