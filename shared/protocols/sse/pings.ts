import { setTimeout as sleep } from 'node:timers/promises';

/** Adds a ping after each silence of `everyMs`, so that proxies do not close the idle connection. */
export async function* withPings<T>(
  events: AsyncIterable<T>,
  everyMs: number,
): AsyncGenerator<T | 'ping', void> {
  const iterator = events[Symbol.asyncIterator]();
  try {
    for (let next = iterator.next(); ; ) {
      const silence = new AbortController();
      const ping = sleep(everyMs, 'ping' as const, { signal: silence.signal }).catch(() => 'ping' as const);
      const first = await Promise.race([next, ping]).finally(() => silence.abort());
      if (first === 'ping') yield first;
      else if (first.done) return;
      else {
        yield first.value;
        next = iterator.next();
      }
    }
  } finally {
    await iterator.return?.();
  }
}
