/** Waits for work, but no longer than until the signal is aborted. @throws the signal's reason. */
export async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** Aborted as soon as one of these is. A composite signal costs something, so that of a single one is itself. */
export function anySignal(first: AbortSignal, ...others: (AbortSignal | undefined)[]): AbortSignal {
  const more = others.filter((signal) => signal !== undefined);
  return more.length === 0 ? first : AbortSignal.any([first, ...more]);
}
