/**
 * Does together what is asked for at almost the same time.
 *
 * `gatherCalls` gathers the calls of one turn of the event loop, so that callers who go on together cost one request.
 * `delayFlush` flushes a while after the first of several occasions; what it flushes, and whether it still must, its user knows.
 * Nothing outlives the process: what was gathered and not yet handled is lost with it.
 */

/**
 * @param handle Gets the items of a turn, and answers each by itself.
 * @param options.inTurn Whether one call of it ends before the next: what comes meanwhile is gathered too.
 */
export function gatherCalls<Item, Result>(
  handle: (items: readonly Item[]) => readonly Promise<Result>[],
  { inTurn = false } = {},
): (item: Item) => Promise<Result> {
  let waiting: { item: Item; resolve: (result: Promise<Result>) => void }[] = [];
  let isHandling = false;

  async function handleWaiting(): Promise<void> {
    do {
      const gathered = waiting;
      waiting = [];
      const results = handle(gathered.map(({ item }) => item));
      for (const [index, { resolve }] of gathered.entries()) resolve(results[index] as Promise<Result>);
      if (!inTurn) return;
      isHandling = true;
      await Promise.allSettled(results);
    } while (waiting.length > 0);
    isHandling = false;
  }

  return (item) =>
    new Promise((resolve) => {
      if (waiting.push({ item, resolve }) === 1 && !isHandling) setImmediate(() => void handleWaiting());
    });
}

/** Flushes once, `ms` after the first `start`, or earlier if one asks for it, unless `stop` comes first. What fails is for the next flush to report. */
export function delayFlush(flush: () => Promise<void>) {
  let timer: NodeJS.Timeout | undefined;
  let dueAt = Number.POSITIVE_INFINITY;
  const stop = () => {
    clearTimeout(timer);
    dueAt = Number.POSITIVE_INFINITY;
  };
  return {
    stop,
    start(ms: number) {
      const at = performance.now() + ms;
      if (at >= dueAt) return;
      clearTimeout(timer);
      dueAt = at;
      timer = setTimeout(() => {
        stop();
        flush().catch(() => {});
      }, ms);
    },
  };
}
