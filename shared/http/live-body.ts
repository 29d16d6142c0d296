import { Readable } from 'node:stream';

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
   * Writes the body, and ends with it. The signal is aborted when the client has gone away; what is thrown after
   * that is nobody's concern, what is thrown before breaks the line.
   */
  work: (write: (text: string) => void, signal: AbortSignal) => Promise<void>;
}

/** API Gateway closes a line on which nothing came for five minutes, browsers and proxies much sooner. */
export const pingEveryMs = 15_000;

/** Begins the work at once, and stops it when nobody reads on. */
export function liveBody({ contentType, filler, work }: LiveWork): LiveBody {
  const gone = new AbortController();
  const write = (text: string) => {
    if (!gone.signal.aborted) stream.push(text);
  };
  const fillers = filler ? setInterval(() => write(filler), pingEveryMs) : undefined;
  const stream = new Readable({
    read() {},
    destroy(error, done) {
      clearInterval(fillers);
      gone.abort(new DOMException('The client went away', 'AbortError'));
      done(error);
    },
  });
  work(write, gone.signal).then(
    () => stream.push(null),
    (error) => stream.destroy(error),
  );
  return { contentType, stream };
}

/** One server-sent event (WHATWG HTML, 9.2): JSON has no line breaks of its own. */
export const serverSentEvent = (event: { type: string; seq: number }) =>
  `event: ${event.type}\nid: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`;
