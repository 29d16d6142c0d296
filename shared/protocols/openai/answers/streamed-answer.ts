import type { ModelEvent, ModelUsage } from '../../../adapters/ports/model-port.ts';
import { log } from '../../../core/log.ts';
import { eventStreamType, pingComment } from '../../../platform/http/responses/server-sent-events.ts';
import { type StreamedBody, streamBody } from '../../../platform/http/responses/streamed-body.ts';
import { errorInStream } from '../error-form.ts';

/** Writes the events of an answer as a protocol has them. */
export interface AnswerWriter {
  text: (event: AnswerEvent) => string;
  failure: (error: object) => string;
}

/** Reserved for recording what an answer cost. */
const reserveMs = 3_000;

export const timeLimit = (timeLeftMs: number) => AbortSignal.timeout(Math.max(1, timeLeftMs - reserveMs));

/**
 * Streams an answer. What fails before its first event is an error of the request, later failures are told in the stream.
 * What is left to do after the last event, the client does not wait for.
 */
export async function streamAnswer(
  { events }: Pick<OpenaiAnswer, 'events'>,
  limit: AbortSignal,
  { text, failure }: AnswerWriter,
): Promise<StreamedBody> {
  const left = new AbortController();
  const iterator = events(AbortSignal.any([left.signal, limit]))[Symbol.asyncIterator]();
  const first = await iterator.next();
  return streamBody({
    contentType: eventStreamType,
    keepAlive: pingComment,
    async writeBody(write, signal) {
      const leave = () => left.abort(signal.reason);
      if (signal.aborted) leave();
      signal.addEventListener('abort', leave, { once: true });
      try {
        for (let next = first; !next.done; next = await iterator.next()) {
          const waits = write(text(next.value));
          if (waits) await waits;
        }
      } catch (error) {
        if (signal.aborted) return;
        log.info('An answer broke off', { error });
        write(failure(errorInStream(error)));
      } finally {
        await iterator.return?.();
      }
    },
  });
}

/** A body that is there as a whole. */
export const wholeJsonBody = (body: object): StreamedBody =>
  streamBody({
    contentType: 'application/json',
    writeBody: async (write) => {
      write(JSON.stringify(body));
    },
  });

/** What somebody answers, whoever it is: a model, an agent or a flow. The last event is the end. */
export type AnswerEvent =
  | Extract<ModelEvent, { type: 'text-delta' | 'reasoning-delta' | 'tool-call-delta' | 'tool-call' }>
  /** The answer begins. */
  | { type: 'start' }
  | AnswerEnd;

export interface AnswerEnd {
  type: 'end';
  stopReason: 'stop' | 'length' | 'tool-calls' | 'content-filter';
  usage: ModelUsage | null;
}

/** An answer that begins when its events are read, once. @throws ServiceError while they are read */
export interface OpenaiAnswer {
  runId: string;
  /** Who answers, as responses name it. */
  model: string;
  startedAt: Date;
  events: (signal: AbortSignal) => AsyncIterable<AnswerEvent>;
}

export interface WholeAnswer extends AnswerEnd {
  text: string;
  reasoning: string;
  toolCalls: Extract<AnswerEvent, { type: 'tool-call' }>[];
}

/** Reads an answer to its end. */
export async function wholeAnswer(events: AsyncIterable<AnswerEvent>): Promise<WholeAnswer> {
  const answer = { text: '', reasoning: '', toolCalls: [] as WholeAnswer['toolCalls'] };
  let end: AnswerEnd | undefined;
  for await (const event of events) {
    if (event.type === 'text-delta') answer.text += event.text;
    else if (event.type === 'reasoning-delta') answer.reasoning += event.text;
    else if (event.type === 'tool-call') answer.toolCalls.push(event);
    else if (event.type === 'end') end = event;
  }
  if (!end) throw new Error('The events of an answer ended without an end');
  return { ...answer, ...end };
}
