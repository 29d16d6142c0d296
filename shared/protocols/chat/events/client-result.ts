import * as z from 'zod';
import { ClientEvent } from './client-event.ts';
import type { ClientSentEvent } from './client-events.ts';

/** The events of an answer that say how it ended, for callers that want no stream. */
export const ClientResult = z
  .object({
    executionId: z.string(),
    success: z.boolean(),
    result: z.string().nullable().meta({ description: 'The answer; null without one' }),
    events: z.array(ClientEvent).meta({ description: 'What the answer waits for, or its end' }),
  })
  .meta({
    id: 'ClientResult',
    examples: [
      {
        executionId: 'exec_01k9m4v7d3x8qz5w2r6t0y1hbn',
        success: true,
        result: 'Yes',
        events: [],
      },
    ],
  });

const shown = new Set<ClientEvent['type']>([
  'approval_start',
  'await',
  'execution_complete',
  'execution_error',
]);

export async function readClientResult(
  executionId: string,
  events: AsyncIterable<ClientSentEvent>,
): Promise<z.infer<typeof ClientResult>> {
  const last: ClientEvent[] = [];
  for await (const { event } of events) if (shown.has(event.type)) last.push(event);
  const end = last.find((event) => event.type === 'execution_complete');
  return { executionId, success: end !== undefined, result: end?.finalOutput ?? null, events: last };
}
