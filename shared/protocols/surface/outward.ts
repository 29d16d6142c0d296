import * as z from 'zod';
import { clientJson } from '../../core/json/exact-json.ts';
import { sendNumberedEvents } from '../../platform/http/responses/server-sent-events.ts';
import { streamBody } from '../../platform/http/responses/streamed-body.ts';
import {
  awaitEvent,
  executionComplete,
  executionError,
  executionStart,
  pingEvent,
  type StreamEvent,
  textComplete,
  textDelta,
  textStart,
} from '../run-events/stream-event.ts';

/** What callers of a surface learn of a run: its outcome, and not how it came about. */
export const SurfaceResult = z
  .object({
    success: z.boolean(),
    executionId: z.string(),
    status: z.string().meta({ description: 'completed, failed, cancelled, or paused while it waits' }),
    output: z.unknown().meta({ description: 'Of the last step of a flow, or the answer of an agent' }),
    error: z
      .string()
      .nullable()
      .meta({ description: 'The reason, for all callers but live keys of the surface' }),
    durationMs: z.int(),
  })
  .meta({
    id: 'SurfaceResult',
    examples: [
      {
        success: true,
        executionId: 'exec_01k9m4v7d3x8qz5w2r6t0y1hbn',
        status: 'completed',
        output: 'Hello Ada',
        error: null,
        durationMs: 412,
      },
    ],
  });
export type SurfaceResult = z.infer<typeof SurfaceResult>;

/** Without events of steps, turns and tools: they hold inputs, outputs and costs, which are internal to a product. */
export const SurfaceEvent = z
  .discriminatedUnion('type', [
    executionStart
      .omit({ totalSteps: true, maxTurns: true })
      .meta({ id: 'SurfaceExecutionStartEvent', description: undefined }),
    ...([textStart, textDelta, textComplete] as const),
    // Questions are for people of the tenant, and whoever has the address of a callback continues the run.
    awaitEvent.omit({ waits: true }).meta({ id: 'SurfaceAwaitEvent', description: undefined }),
    executionComplete
      .omit({ totalCost: true, totalTokens: true, iterations: true, attempts: true })
      .omit({ totalSteps: true, successfulSteps: true, failedSteps: true, warnings: true })
      .meta({ id: 'SurfaceExecutionCompleteEvent', description: undefined }),
    executionError,
    pingEvent,
  ])
  .meta({ id: 'SurfaceEvent' });

const outwardTypes: ReadonlySet<string> = new Set(SurfaceEvent.options.map(({ shape }) => shape.type.value));
const isOutward = ({ type }: StreamEvent) => outwardTypes.has(type);

/** The tenant decides calls, so that their tools and arguments are no concern of the caller. */
function hideCall(event: StreamEvent): StreamEvent {
  if (event.type !== 'await' || event.awaitReason === 'local_tool') return event;
  const {
    toolCallId: _call,
    toolName: _name,
    parameters: _parameters,
    approvalId: _id,
    runId: _run,
    ...rest
  } = event;
  return rest;
}

/** A run as its caller may see it. Read the events or the result, once. */
export interface OutwardRun {
  events: (signal: AbortSignal) => AsyncIterable<StreamEvent>;
  result: (signal: AbortSignal) => Promise<SurfaceResult>;
}

const failed = 'The run failed';

/** A run whose caller learns that it failed, and not why: the reason may name what is internal to the tenant. */
export const hideReasons = ({ events, result }: OutwardRun): OutwardRun => ({
  async *events(signal) {
    for await (const event of events(signal)) {
      const isFailure = event.type === 'execution_complete' && event.error !== undefined;
      yield isFailure ? { ...event, error: failed } : event;
    }
  },
  async result(signal) {
    const outcome = await result(signal);
    return outcome.error === null ? outcome : { ...outcome, error: failed };
  },
});

export const outwardResponse = ({ events, result }: OutwardRun, isStreamed: boolean) =>
  isStreamed
    ? sendNumberedEvents((signal) => outwardEvents(events(signal)))
    : streamBody({
        contentType: 'application/json',
        keepAlive: ' ',
        writeBody: async (write, signal) => {
          write(clientJson(SurfaceResult.parse(await result(signal))));
        },
      });

async function* outwardEvents(events: AsyncIterable<StreamEvent>) {
  for await (const event of events) {
    if (isOutward(event)) yield SurfaceEvent.parse(hideCall(event));
  }
}
