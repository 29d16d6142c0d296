import { clientJson } from '../../../core/json/exact-json.ts';
import { type StreamedBody, streamBody } from './streamed-body.ts';

export interface SentEvent {
  data: unknown;
  event?: string;
  /** What a client sends as `last-event-id` to continue after it. */
  id?: string | number;
}

/** WHATWG HTML, 9.2. JSON contains no line breaks. */
export const serverSentEvent = (
  { event, id, data }: SentEvent,
  json: (data: unknown) => string = JSON.stringify,
) =>
  `${event === undefined ? '' : `event: ${event}\n`}${id === undefined ? '' : `id: ${id}\n`}data: ${json(data)}\n\n`;

/** A comment, which clients ignore. */
export const pingComment = ': ping\n\n';

export const eventStreamType = 'text/event-stream';

/** Responds with events until there are no more. @param eventsFor The signal is aborted when the client disconnects. */
export const sendEvents = <T>(
  eventsFor: (signal: AbortSignal) => AsyncIterable<T>,
  toEvent: (event: T) => SentEvent,
): StreamedBody =>
  streamBody({
    contentType: eventStreamType,
    writeBody: async (write, signal) => {
      for await (const event of eventsFor(signal)) await write(serverSentEvent(toEvent(event), clientJson));
    },
  });

export const sendNumberedEvents = (
  eventsFor: (signal: AbortSignal) => AsyncIterable<{ type: string; seq: number }>,
): StreamedBody => sendEvents(eventsFor, (data) => ({ event: data.type, id: data.seq, data }));

/** An EventSource that reconnects sends the header beside its first query, so the header counts. */
export const lastEventId = (
  header: (name: string) => string | undefined,
  after: string | undefined,
): string | undefined => header('last-event-id') || after;
