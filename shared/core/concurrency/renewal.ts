import { log } from '../log.ts';

/** What a lease holds belongs to somebody else now. */
export class LeaseLost extends Error {}

export interface Renewal {
  /** Aborted once the work finds the lease lost. */
  lost: AbortSignal;
  stop: () => void;
}

/**
 * Repeats the work that keeps a lease until `stop`. A failure is logged, and the next time tries again.
 * @param isLoss Which errors of the work say that the lease is lost, besides LeaseLost.
 */
export function startRenewal(
  work: () => Promise<unknown>,
  {
    everyMs,
    failure,
    about = {},
    isLoss = () => false,
  }: {
    everyMs: number;
    /** A sentence for the log. */
    failure: string;
    about?: Record<string, unknown>;
    isLoss?: (error: unknown) => boolean;
  },
): Renewal {
  const lost = new AbortController();
  const timer = setInterval(() => {
    work().catch((error) => {
      const isLost = error instanceof LeaseLost || isLoss(error);
      if (isLost) lost.abort(new DOMException('The lease is lost', 'AbortError'));
      else log.warn(failure, { error, ...about });
    });
  }, everyMs);
  timer.unref();
  return { lost: lost.signal, stop: () => clearInterval(timer) };
}
