/**
 * How long a paid result waits for those of the steps after it, to be written together with them. A process that dies in
 * between pays again.
 */
const soonMs = 50;

/** Flushes once after `start`, unless `stop` comes first. What fails is for the next flush to report. */
export function flushSoon(flush: () => Promise<void>) {
  let timer: NodeJS.Timeout | undefined;
  const stop = () => {
    clearTimeout(timer);
    timer = undefined;
  };
  return {
    stop,
    start() {
      timer ??= setTimeout(() => {
        stop();
        flush().catch(() => {});
      }, soonMs);
    },
  };
}
