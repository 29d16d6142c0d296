import { AsyncLocalStorage } from 'node:async_hooks';
import { Readable } from 'node:stream';
import { log } from '../../../core/log.ts';

/**
 * A response body that is written while it is sent.
 *
 * Writing begins at once. A slow client holds the writer back, a client that leaves aborts it, and text in between keeps an
 * idle connection open. `written` settles when nothing writes any more, which may be after the client has left: a listener
 * (the idempotency key's, `once.ts`) may let the writing go on for others that read the same body. The listener is found
 * through the asynchronous context, so that handlers need not know of it.
 */

export interface StreamedBody {
  /** Default: 200. */
  statusCode?: number;
  contentType: string;
  headers?: Record<string, string>;
  stream: Readable;
  /** Settles when nothing writes the body any more, which may be after its client has left. Never fails. */
  written?: Promise<void>;
}

export interface StreamSource {
  contentType: string;
  /** Text that keeps an idle connection open, unless `writeBody` sends its own. */
  keepAlive?: string;
  /**
   * `write` returns a promise if the client reads too slowly. The signal is aborted when the client disconnects and no
   * repetition of its request reads the body.
   * Errors after that are ignored; earlier ones abort the stream.
   */
  writeBody: (write: (text: string) => Promise<void> | undefined, signal: AbortSignal) => Promise<void>;
}

/** Gets the text of a body as well, also what its client does not get because it has left. */
export interface BodyListener {
  begins: (contentType: string, written: Promise<void>) => void;
  add: (text: string) => void;
  names: (run: LoggedRun) => void;
  /** The client has left. @param stop Ends the writing, which goes on until then. */
  left: (stop: () => void) => void;
}

/** A run that another response can give the events of: those after a number, which is -1 for all. */
export interface LoggedRun {
  executionId: string;
  after: number;
}

const listening = new AsyncLocalStorage<BodyListener>();

/** Lets a listener hear the body that some work begins to stream. */
export const runWithListener = <T>(listener: BodyListener, work: () => T): T => listening.run(listener, work);

/** Names the run whose events a response streams, if they can be read again. */
export const nameRun = (run: LoggedRun): void => listening.getStore()?.names(run);

/** API Gateway closes a connection that is idle for five minutes; browsers and proxies do so much earlier. */
export const pingEveryMs = 15_000;

/** Starts writing at once, and stops when the client disconnects; with a listener, when that says so. */
export function streamBody({ contentType, keepAlive, writeBody }: StreamSource): StreamedBody {
  const listener = listening.getStore();
  const clientGone = new AbortController();
  let writable: PromiseWithResolvers<void> | undefined;
  const releaseWriter = () => {
    writable?.resolve();
    writable = undefined;
  };
  const write = (text: string) => {
    listener?.add(text);
    if (stream.destroyed || stream.push(text)) return undefined;
    writable ??= Promise.withResolvers();
    return writable.promise;
  };
  // What a client does not take is no idle connection.
  const ping = () => writable || !keepAlive || void write(keepAlive);
  const keepAliveTimer = keepAlive ? setInterval(ping, pingEveryMs) : undefined;
  const stream = new Readable({
    read: releaseWriter,
    destroy(error, done) {
      clearInterval(keepAliveTimer);
      // Abort first, so that a waiting writer sees that the client has disconnected.
      const stop = () => clientGone.abort(new DOMException('The client disconnected', 'AbortError'));
      if (listener) listener.left(stop);
      else stop();
      releaseWriter();
      done(error);
    },
  });
  // The pipeline that reads the stream reports the error. One before the pipeline begins would end the process.
  stream.on('error', () => {});
  const writing = writeBody(write, clientGone.signal);
  listener?.begins(contentType, writing);
  const written = writing.then(
    () => void stream.push(null),
    (error) => {
      if (!clientGone.signal.aborted) log.error('A streamed response failed', { error });
      stream.destroy(error);
    },
  );
  return { contentType, stream, written };
}

/** Adds a ping after each silence of `everyMs`, so that proxies do not close the idle connection. */
export async function* addPings<T>(
  events: AsyncIterable<T>,
  everyMs: number,
): AsyncGenerator<T | 'ping', void> {
  const iterator = events[Symbol.asyncIterator]();
  let ping = () => {};
  // One timer for all events: an event may be a word, and a timer of its own costs more than the rest of it.
  const silence = setTimeout(() => ping(), everyMs);
  try {
    for (let next = iterator.next(); ; ) {
      silence.refresh();
      const first = await new Promise<IteratorResult<T> | 'ping'>((resolve, reject) => {
        ping = () => resolve('ping');
        next.then(resolve, reject);
      });
      if (first === 'ping') yield first;
      else if (first.done) return;
      else {
        yield first.value;
        next = iterator.next();
      }
    }
  } finally {
    clearTimeout(silence);
    await iterator.return?.();
  }
}
