import type { FlowStep } from '../../../domain/flows/steps/step.ts';
import type { FinalEvent, FlowRunEvent } from '../../../execution/runs/flow-run-event.ts';
import { runFailed, runPaused } from '../failures.ts';
import type { AnswerEvent } from './answer.ts';
import { openOutput } from './output-text.ts';

interface Run {
  executionId: string;
  isStreamed: boolean;
}

/**
 * The output of a flow. Streamed, that of a prompt at its end comes as it is written, and that of any other step in one
 * piece. @throws ServiceError if it fails, or waits
 */
export async function* flowAnswerEvents(
  events: AsyncIterable<FlowRunEvent>,
  { executionId, isStreamed }: Run,
): AsyncGenerator<AnswerEvent, void> {
  const output = openOutput({ isStreamed });
  yield { type: 'start' };
  let shownPath: string | undefined;
  let last: FinalEvent | undefined;
  for await (const event of events) {
    if (event.type === 'started') shownPath = pathOfText(event.steps);
    else if (event.type === 'step-event' && event.path === shownPath) {
      if (event.event.type === 'text_start') output.begin();
      else if (event.event.type === 'text_delta') yield* output.add(event.event.delta);
    } else if ('totals' in event) last = event;
  }
  if (!last) throw new Error('An execution ended without its last event');
  if (last.type === 'suspended' || last.type === 'awaiting') throw runPaused(executionId);
  if (last.type === 'cut-off') throw runFailed({ executionId, error: last.error.message });
  if (!last.success) throw runFailed({ executionId, error: last.error, code: last.errorCode });
  yield* output.end(last.output);
  const { input: inputTokens, output: outputTokens, cachedInput: cacheReadTokens } = last.totals.tokens;
  yield { type: 'end', stopReason: 'stop', usage: { inputTokens, outputTokens, cacheReadTokens } };
}

/** Of the last step, if its text is the output as it is. */
function pathOfText(steps: readonly FlowStep[]): string | undefined {
  const index = steps.findLastIndex(({ enabled }) => enabled);
  const { type, config } = steps[index] ?? {};
  const { responseFormat = 'text' } = (config ?? {}) as { responseFormat?: unknown };
  return type === 'prompt' && (responseFormat === 'text' || responseFormat === 'markdown')
    ? String(index)
    : undefined;
}
