import { Readable } from 'node:stream';
import { log } from '../../core/log.ts';

/** A body that is still being made while it is sent. */
export interface LiveBody {
  contentType: string;
  headers?: Record<string, string>;
  stream: Readable;
}

export interface LiveWork {
  contentType: string;
  /** What keeps a silent line open, without a meaning in the answer; nothing where the work sees to that itself. */
  filler?: string;
  /**
   * Writes the body, and ends with it. `write` gives a promise where the client reads more slowly than that: it is
   * kept when there is room again, or nobody to read. The signal is aborted when the client has gone away; what is
   * thrown after that is nobody's concern, what is thrown before breaks the line.
   */
  work: (write: (text: string) => Promise<void> | undefined, signal: AbortSignal) => Promise<void>;
}

/** API Gateway closes a line on which nothing came for five minutes, browsers and proxies much sooner. */
export const pingEveryMs = 15_000;

/** Begins the work at once, and stops it when nobody reads on. */
export function liveBody({ contentType, filler, work }: LiveWork): LiveBody {
  const gone = new AbortController();
  let room: PromiseWithResolvers<void> | undefined;
  const goOn = () => {
    room?.resolve();
    room = undefined;
  };
  const write = (text: string) => {
    if (gone.signal.aborted || stream.push(text)) return undefined;
    room ??= Promise.withResolvers();
    return room.promise;
  };
  const fillers = filler ? setInterval(() => void write(filler), pingEveryMs) : undefined;
  const stream = new Readable({
    read: goOn,
    destroy(error, done) {
      clearInterval(fillers);
      // First of the two, so that who waits for room finds out that nobody reads.
      gone.abort(new DOMException('The client went away', 'AbortError'));
      goOn();
      done(error);
    },
  });
  work(write, gone.signal).then(
    () => stream.push(null),
    (error) => {
      if (!gone.signal.aborted) log.error('A streamed answer broke off', { error });
      stream.destroy(error);
    },
  );
  return { contentType, stream };
}

/** One server-sent event (WHATWG HTML, 9.2): JSON has no line breaks of its own. */
export const serverSentEvent = (event: { type: string; seq: number }) =>
  `event: ${event.type}\nid: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`;
