import { streamedBody } from '../../../platform/http/responses/streamed-body.ts';
import type { SentEvent } from './client-events.ts';

/** Responds with server-sent events. The `id` of each says where to continue. */
export const sentEvents = (eventsFor: (pageGone: AbortSignal) => AsyncIterable<SentEvent>) =>
  streamedBody({
    contentType: 'text/event-stream',
    writeBody: async (write, pageGone) => {
      for await (const { event, id } of eventsFor(pageGone)) {
        await write(`event: ${event.type}\nid: ${id}\ndata: ${JSON.stringify(event)}\n\n`);
      }
    },
  });
