import { EventSourceParserStream } from 'eventsource-parser/stream';
import type { StreamEvent } from '../../../shared/protocols/run-events/stream-event.ts';
import { stack } from './stack.ts';
import { openStreamJudge } from './stream-judge.ts';

export interface ReceivedEvent {
  /** The event’s name and id, as the frame gives them beside the data. */
  name: string | undefined;
  id: string | undefined;
  at: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of every shape
  data: StreamEvent & Record<string, any>;
}

export interface Opened {
  status: number;
  headers: Headers;
  /** The events as they come. */
  events: AsyncGenerator<ReceivedEvent>;
  hangUp: () => void;
  /** Kept, since a response that is collected as garbage ends its body. */
  response: Response;
}

/** Asks for a stream of events; they are read by whoever wants them. */
export async function openEvents(token: string, path: string, body: object): Promise<Opened> {
  const hanging = new AbortController();
  const response = await fetch(stack().url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: hanging.signal,
  });
  return {
    status: response.status,
    headers: response.headers,
    events: readEvents(response.body as ReadableStream<Uint8Array>),
    hangUp: () => hanging.abort(),
    response,
  };
}

export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ReceivedEvent> {
  const frames = body
    .pipeThrough(new TextDecoderStream() as never)
    .pipeThrough(new EventSourceParserStream());
  const judge = openStreamJudge();
  for await (const { event, id, data } of frames as unknown as AsyncIterable<{
    event?: string;
    id?: string;
    data: string;
  }>) {
    const parsed = JSON.parse(data);
    judge(parsed);
    yield { name: event, id, at: Date.now(), data: parsed };
  }
}

/** All events of a run, to its end. */
export async function allEvents(token: string, path: string, body: object): Promise<ReceivedEvent[]> {
  const { events } = await openEvents(token, path, body);
  return Array.fromAsync(events);
}
