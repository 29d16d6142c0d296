import type { ModelEvent, ModelFinish } from '../../adapters/ports/model-port.ts';
import { beginNote, type NoteFacts } from '../../core/tracing/active-span.ts';

/** Notes a call of a model: when it began, its first piece, and how it ended. */
export function noteModelCall(model: string) {
  const note = beginNote({ k: 'm', n: model });
  const began = Date.now();
  let facts: Partial<NoteFacts> = { st: 'e' };
  let first: number | undefined;
  return {
    see(event: ModelEvent): void {
      if (event.type === 'start') facts = { ...facts, n: event.modelUsed };
      else first ??= Math.max(0, Date.now() - began);
      if (event.type === 'finish') facts = { st: undefined, ...factsOf(event) };
    },
    end: (): void => note?.end({ ...facts, ...(first !== undefined && { f: first }) }),
  };
}

const factsOf = ({ modelUsed, usage, cost, stopReason }: ModelFinish): Partial<NoteFacts> => ({
  n: modelUsed,
  ...(usage && {
    u: [usage.inputTokens, usage.outputTokens, usage.cacheReadTokens ?? 0, usage.reasoningTokens ?? 0],
  }),
  ...(cost !== null && { c: cost }),
  ...(stopReason !== 'stop' && { r: stopReason }),
});
