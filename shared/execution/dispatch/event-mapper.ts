import { type FlowStep, type StepEvent, variableOf } from '../../domain/flows/steps/step.ts';
import type { RunEvent } from '../engine/engine.ts';
import type { EventBody } from './events.ts';

/** What a caller is told of what the engine tells; its end is told by whoever adds up the run. */
export function eventBodyOf(
  event: RunEvent,
  totalSteps: number,
  at: string,
  debug: boolean,
): EventBody | undefined {
  if (event.type === 'step_start') {
    const outputVariable = variableOf(event.step);
    return {
      type: 'step_start',
      ...placeOf(event.step, event.path),
      stepType: event.step.type,
      totalSteps,
      ...(outputVariable && { outputVariable }),
      startedAt: at,
    };
  }
  if (event.type !== 'step_end') return undefined;
  const { step, result } = event;
  const place = placeOf(step, result.path);
  if (result.status === 'skipped') {
    return { type: 'step_skip', ...place, ...(step.when && { when: step.when }), skippedAt: at };
  }
  const { status, output = null, error, durationMs, promptTokens, completionTokens } = result;
  return {
    type: 'step_complete',
    ...place,
    success: status === 'completed',
    result: output,
    ...(error !== undefined && { error }),
    durationMs,
    ...(promptTokens !== undefined && { tokensUsed: promptTokens + (completionTokens ?? 0) }),
    ...(result.estimatedCost !== undefined && { cost: result.estimatedCost }),
    ...(debug && result.resolvedPrompt !== undefined && { resolvedPrompt: result.resolvedPrompt }),
  };
}

const placeOf = ({ id, name }: FlowStep, path: string) => ({
  id,
  name,
  index: Number.parseInt(path, 10),
  path,
});

/** Numbers the texts of a run, since a step may show several. */
export function stepEventEmitter(emit: (event: EventBody) => Promise<void> | void) {
  let texts = 0;
  return ({ id: stepId }: FlowStep, event: StepEvent): Promise<void> | void => {
    if (event.type === 'text_start') texts++;
    const id = `text_${texts}`;
    if (event.type === 'custom') return emit({ ...event, stepId });
    if (event.type === 'text_start') return emit({ ...event, id, stepId, role: 'assistant' });
    return emit({ ...event, id, stepId });
  };
}
