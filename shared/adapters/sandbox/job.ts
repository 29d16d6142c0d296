export interface Job {
  input: unknown;
  signal: AbortSignal | undefined;
  resolve: (value: unknown) => void;
  reject: (reason: unknown) => void;
}

/** A job that rejects as soon as its signal is aborted, whatever its task does. */
export function openJob(
  input: unknown,
  signal: AbortSignal | undefined,
  { resolve, reject }: Pick<Job, 'resolve' | 'reject'>,
): Job {
  if (!signal) return { input, signal, resolve, reject };
  const abort = () => reject(signal.reason);
  const release = () => signal.removeEventListener('abort', abort);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  return {
    input,
    signal,
    resolve(value) {
      release();
      resolve(value);
    },
    reject(reason) {
      release();
      reject(reason);
    },
  };
}

/** Aborted when the signals of all jobs are: the thread continues while any job is wanted. */
export function joinJobSignals(jobs: readonly Job[]): AbortSignal {
  const [first] = jobs;
  const signals = new Set(jobs.map(({ signal }) => signal));
  if (first?.signal && signals.size === 1) return first.signal;
  const stopped = new AbortController();
  if (signals.has(undefined)) return stopped.signal;
  let left = signals.size;
  for (const signal of signals) {
    const count = () => {
      if (--left === 0) stopped.abort(signal?.reason);
    };
    if (signal?.aborted) count();
    else signal?.addEventListener('abort', count, { once: true });
  }
  return stopped.signal;
}
