import type { AgentRunEvent, NumberedEvent } from '../../../execution/agent-runs/agent-run-event.ts';
import { runFailed, runPaused } from '../failures.ts';
import type { AnswerEvent } from './answer.ts';
import { openOutput } from './output-text.ts';

interface Run {
  executionId: string;
  isStreamed: boolean;
}

/** The answer of an agent; streamed, with the texts of its earlier turns. @throws ServiceError if it fails, or waits */
export async function* agentAnswerEvents(
  events: AsyncIterable<NumberedEvent>,
  { executionId, isStreamed }: Run,
): AsyncGenerator<AnswerEvent, void> {
  const output = openOutput({ isStreamed });
  yield { type: 'start' };
  let ended: Extract<AgentRunEvent, { type: 'ended' }> | undefined;
  for await (const { event } of events) {
    if (event.type === 'text_start') output.begin();
    else if (event.type === 'text_delta') yield* output.add(event.delta);
    else if (event.type === 'reasoning_delta' && isStreamed)
      yield { type: 'reasoning-delta', text: event.delta };
    else if (event.type === 'ended') ended = event;
  }
  if (!ended) throw runPaused(executionId);
  const { end, summary } = ended;
  if (end.error !== null) throw runFailed({ executionId, error: end.error, code: end.errorCode });
  yield* output.end(end.output);
  const { inputTokens, outputTokens, cachedInputTokens: cacheReadTokens } = summary;
  // It was not done, as a response that reached its limit.
  const stopReason = end.stopReason === 'end_turn' ? 'stop' : 'length';
  yield { type: 'end', stopReason, usage: { inputTokens, outputTokens, cacheReadTokens } };
}
