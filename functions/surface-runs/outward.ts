import * as z from 'zod';
import { serverSentEvent, streamedBody } from '../../shared/platform/http/streamed-body.ts';
import type { StreamEvent } from '../../shared/protocols/sse/stream-event.ts';

/** What callers of a surface learn of a run: its outcome, and not how it came about. */
export const SurfaceResult = z
  .object({
    success: z.boolean(),
    executionId: z.string(),
    status: z.string().meta({ description: 'completed, failed, cancelled, or paused while it waits' }),
    output: z.unknown().meta({ description: 'Of the last step of a flow, or the answer of an agent' }),
    error: z.string().nullable(),
    durationMs: z.int(),
  })
  .meta({
    id: 'SurfaceResult',
    examples: [
      {
        ...{ success: true, executionId: 'exec_01k9m4v7d3x8qz5w2r6t0y1hbn', status: 'completed' },
        ...{ output: 'Hello Ada', error: null, durationMs: 412 },
      },
    ],
  });
export type SurfaceResult = z.infer<typeof SurfaceResult>;

/** Events of steps, turns and tools hold what is internal to a product: inputs, outputs and costs of its parts. */
const outward: readonly StreamEvent['type'][] = [
  ...(['execution_start', 'text_start', 'text_delta', 'text_complete', 'await'] as const),
  ...(['execution_complete', 'execution_error', 'ping'] as const),
];

interface OutwardRun {
  events: (signal: AbortSignal) => AsyncIterable<StreamEvent>;
  result: (signal: AbortSignal) => Promise<SurfaceResult>;
}

/** Responds with the events that callers of a surface may see, or with the result. */
export const outwardResponse = ({ events, result }: OutwardRun, isStreamed: boolean) =>
  isStreamed
    ? streamedBody({
        contentType: 'text/event-stream',
        writeBody: async (write, signal) => {
          for await (const event of events(signal)) {
            if (outward.includes(event.type)) await write(serverSentEvent(event));
          }
        },
      })
    : streamedBody({
        contentType: 'application/json',
        keepAlive: ' ',
        writeBody: async (write, signal) => {
          write(JSON.stringify(SurfaceResult.parse(await result(signal))));
        },
      });
