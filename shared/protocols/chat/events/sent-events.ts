import { sendEvents } from '../../../platform/http/responses/server-sent-events.ts';
import type { ClientSentEvent } from './client-events.ts';

/** Responds with the events of a chat. The `id` of each says where to continue. */
export const sendClientEvents = (eventsFor: (pageGone: AbortSignal) => AsyncIterable<ClientSentEvent>) =>
  sendEvents(eventsFor, ({ event, id }) => ({ event: event.type, id, data: event }));
