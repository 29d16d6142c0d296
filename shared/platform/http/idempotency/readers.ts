import { Readable } from 'node:stream';
import type { LiveParts } from './live-parts.ts';

const lookEveryMs = 2_000;
/** A client whose connection broke off repeats its request soon. */
const looksInVain = 3;

export type Readers = ReturnType<typeof openReaders>;

/** The repetitions that read what a request streams. */
export function openReaders() {
  let stop: (() => void) | undefined;
  let [looks, isWatched] = [0, false];

  return {
    /** The client of the request has left: unless a repetition reads, or begins to within seconds, nobody needs the rest. */
    stopWithout(stopWriting: () => void): void {
      stop = stopWriting;
      looks = 0;
      if (!isWatched) stop();
    },
    /** @param whileRead Is called every 2 s while a repetition reads; without it, nobody looks until the client has left. */
    watch(live: LiveParts, whileRead?: () => Promise<void>) {
      let looking = Promise.resolve();
      const look = async () => {
        if (!stop && !whileRead) return;
        const isRead = await live.isRead();
        looks = isRead ? 0 : looks + 1;
        if (isRead) await whileRead?.();
        else if (looks >= looksInVain) stop?.();
      };
      isWatched = true;
      const timer = setInterval(() => {
        looking = looking.then(look);
      }, lookEveryMs);
      return {
        end(): Promise<void> {
          clearInterval(timer);
          return looking;
        },
      };
    },
  };
}

const markEveryMs = 3_000;

/** Lets a request know that a repetition follows its run. Costs nothing where the run has ended and is told of at once. */
export function readWhileOpen(live: LiveParts, body: unknown): void {
  if (!(body instanceof Readable)) return;
  const timer = setInterval(() => void live.read(), markEveryMs);
  body.once('close', () => clearInterval(timer));
}
