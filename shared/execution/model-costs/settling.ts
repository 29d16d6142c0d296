import type { ModelEvent } from '../../adapters/ports/model-port.ts';

/**
 * Settles a call of a model when it ends, however it ends. A provider charges what it began, also if it does not say how much
 * that is.
 * @param settle Gets USD; undefined if the cost is not known.
 */
export async function* settling(
  events: AsyncIterable<ModelEvent>,
  settle: (cost: string | undefined) => void,
): AsyncGenerator<ModelEvent, void> {
  let cost: string | undefined = '0';
  try {
    for await (const event of events) {
      if (event.type === 'start') cost = event.charged?.cost ?? undefined;
      if (event.type === 'finish') cost = event.cost ?? undefined;
      yield event;
    }
  } finally {
    settle(cost);
  }
}
