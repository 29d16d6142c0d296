import { clientJson } from '../../../core/json/exact-json.ts';
import { type StreamedBody, streamedBody } from './streamed-body.ts';

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
export const sentEvents = <T>(
  eventsFor: (signal: AbortSignal) => AsyncIterable<T>,
  sent: (event: T) => SentEvent,
): StreamedBody =>
  streamedBody({
    contentType: eventStreamType,
    writeBody: async (write, signal) => {
      for await (const event of eventsFor(signal)) await write(serverSentEvent(sent(event), clientJson));
    },
  });

export const numberedEvents = (
  eventsFor: (signal: AbortSignal) => AsyncIterable<{ type: string; seq: number }>,
): StreamedBody => sentEvents(eventsFor, (data) => ({ event: data.type, id: data.seq, data }));
