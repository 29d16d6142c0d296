/** Flushes once, `ms` after the first `start`, or earlier if one asks for it, unless `stop` comes first. What fails is for the next flush to report. */
export function flushSoon(flush: () => Promise<void>) {
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
