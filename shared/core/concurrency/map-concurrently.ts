/** Yields results as they come. After a failure it starts no more, waits for the running work, and throws. */
export async function* mapConcurrently<T, R>(
  items: Iterable<T>,
  atOnce: number,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R, void> {
  const remaining = items[Symbol.iterator]();
  const running = new Map<object, Promise<{ name: object; result: R }>>();
  const startNext = () => {
    const next = remaining.next();
    if (next.done) return;
    const name = {};
    running.set(
      name,
      work(next.value).then((result) => ({ name, result })),
    );
  };
  try {
    for (let n = 0; n < atOnce; n++) startNext();
    while (running.size > 0) {
      const { name, result } = await Promise.race(running.values());
      running.delete(name);
      startNext();
      yield result;
    }
  } finally {
    await Promise.allSettled(running.values());
  }
}
