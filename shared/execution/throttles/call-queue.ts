import { log } from '../../core/log.ts';
import {
  endOfWait,
  isOverdue,
  sortWaiters,
  tooLate,
  type Waiter,
  type WaitingCall,
} from './waiting-calls.ts';

/** The calls of a process that wait, in their order. */
export function openCallQueue<T>(now: () => number) {
  let waiters: Waiter<T>[] = [];

  function leave(waiter: Waiter<T>, error: unknown): void {
    waiters = waiters.filter((each) => each !== waiter);
    waiter.reject(error);
  }

  return {
    isEmpty: () => waiters.length === 0,

    /** Those that may ask: their turn has come, or they have none yet. */
    asking: () => waiters.filter(({ turn = 0 }) => turn <= now()),

    /** @returns when the first of them is due by that. Unix ms. */
    next: (dueAt: (waiter: Waiter<T>) => number): number => Math.min(...waiters.map(dueAt)),

    add(call: WaitingCall): Promise<T> {
      const { signal, backSince } = call;
      if (signal.aborted) return Promise.reject(signal.reason);
      const at = now();
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      const waiter = { call, arrivedAt: at, waitsSince: at, turn: backSince, resolve, reject };
      const abort = () => leave(waiter, isTimeout(signal) ? tooLate() : signal.reason);
      signal.addEventListener('abort', abort, { once: true });
      waiters.push(waiter);
      return promise.finally(() => signal.removeEventListener('abort', abort));
    },

    /** Gives what the calls wait for, up to the first for which there is none. */
    serve(give: (call: WaitingCall) => T | undefined): void {
      waiters = sortWaiters(waiters);
      for (let [first] = waiters; first && (first.turn ?? 0) <= now(); [first] = waiters) {
        const given = give(first.call);
        if (given === undefined) return;
        waiters.shift();
        first.resolve(given);
      }
    },

    /** @param askAt When there may be something for those whose turn has come. */
    endLongWaits(askAt: number): void {
      // One that has no turn yet asks for it first.
      for (const waiter of waiters.filter(({ turn }) => turn !== undefined)) {
        if (isOverdue(waiter, now()) && waiter.waitsSince === waiter.arrivedAt) {
          // The limits were lowered, or others came before it. It takes its turn anew, at most once.
          Object.assign(waiter, { turn: undefined, waitsSince: now() });
          continue;
        }
        const error = endOfWait(waiter, now(), (waiter.turn ?? 0) <= now() ? askAt : 0);
        if (error) leave(waiter, error);
      }
    },

    fail(error: unknown): void {
      if (waiters.length === 0)
        log.error('What was sent could not be written; it counts as reserved', { error });
      for (const { reject } of waiters.splice(0)) reject(error);
    },
  };
}

const isTimeout = ({ reason }: AbortSignal) => (reason as Error | undefined)?.name === 'TimeoutError';
