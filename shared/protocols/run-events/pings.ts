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
