import { Readable } from 'node:stream';
import { log } from '../../core/log.ts';

/** A body that is still being made while it is sent. */
export interface StreamedBody {
  contentType: string;
  headers?: Record<string, string>;
  stream: Readable;
}

export interface StreamSource {
  contentType: string;
  /** What keeps a silent line open, without a meaning in the answer; nothing where the work sees to that itself. */
  keepAlive?: string;
  /**
   * Writes the body, and ends with it. `write` gives a promise where the client reads more slowly than that: it is
   * kept when there is room again, or nobody to read. The signal is aborted when the client has gone away; what is
   * thrown after that is nobody's concern, what is thrown before breaks the line.
   */
  writeBody: (write: (text: string) => Promise<void> | undefined, signal: AbortSignal) => Promise<void>;
}

/** API Gateway closes a line on which nothing came for five minutes, browsers and proxies much sooner. */
export const pingEveryMs = 15_000;

/** Begins the work at once, and stops it when nobody reads on. */
export function streamedBody({ contentType, keepAlive, writeBody }: StreamSource): StreamedBody {
  const clientGone = new AbortController();
  let writable: PromiseWithResolvers<void> | undefined;
  const releaseWriter = () => {
    writable?.resolve();
    writable = undefined;
  };
  const write = (text: string) => {
    if (clientGone.signal.aborted || stream.push(text)) return undefined;
    writable ??= Promise.withResolvers();
    return writable.promise;
  };
  const keepAliveTimer = keepAlive ? setInterval(() => void write(keepAlive), pingEveryMs) : undefined;
  const stream = new Readable({
    read: releaseWriter,
    destroy(error, done) {
      clearInterval(keepAliveTimer);
      // First of the two, so that who waits for room finds out that nobody reads.
      clientGone.abort(new DOMException('The client went away', 'AbortError'));
      releaseWriter();
      done(error);
    },
  });
  writeBody(write, clientGone.signal).then(
    () => stream.push(null),
    (error) => {
      if (!clientGone.signal.aborted) log.error('A streamed answer broke off', { error });
      stream.destroy(error);
    },
  );
  return { contentType, stream };
}

/** One server-sent event (WHATWG HTML, 9.2): JSON has no line breaks of its own. */
export const serverSentEvent = (event: { type: string; seq: number }) =>
  `event: ${event.type}\nid: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`;
