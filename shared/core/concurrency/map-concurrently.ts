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

/** Shared by several loops, to bound together how much they do at once. */
interface Permits {
  tryAcquire: () => boolean;
  release: () => void;
}

const unlimited: Permits = { tryAcquire: () => true, release() {} };

/**
 * Works on one item at least, and on more of up to `atOnce` while there are permits for them. After a failure, waits for
 * the running work: a Lambda must not write after it has responded.
 */
export async function forEachConcurrently<T>(
  items: Iterable<T>,
  atOnce: number,
  work: (item: T) => Promise<void>,
  permits = unlimited,
): Promise<void> {
  const remaining = items[Symbol.iterator]();
  const failures: unknown[] = [];
  const others = new Set<Promise<void>>();
  const runWorker = async () => {
    for (let next = remaining.next(); !next.done && failures.length === 0; next = remaining.next()) {
      startAnother();
      await work(next.value).catch((error) => failures.push(error));
    }
  };
  const startAnother = () => {
    if (others.size + 1 >= atOnce || !permits.tryAcquire()) return;
    const other: Promise<void> = Promise.resolve()
      .then(runWorker)
      .finally(() => {
        permits.release();
        others.delete(other);
      });
    others.add(other);
  };
  await runWorker();
  while (others.size > 0) await Promise.all(others);
  if (failures.length > 0) throw failures[0];
}
