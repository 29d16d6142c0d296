import type { Scope } from '../../../platform/data/scope.ts';
import type { Delivered, RunMessage } from '../messages/run-message.ts';
import { loadJobsSeparately, type RecordJob } from './record-jobs.ts';

/** How old what is loaded ahead may be, so that a cancelled batch ends within a second. */
const freshMs = 500;

export type JobLoader = ReturnType<typeof jobLoader>;

/** Loads runs that begin at the same time in one round trip, such as those of all slots after a common commit. */
export function jobLoader(scope: Scope) {
  let waiting: { message: RunMessage; resolve: (job: Promise<RecordJob>) => void }[] = [];

  function flush() {
    const gathered = waiting;
    waiting = [];
    const jobs = loadJobsSeparately(
      scope,
      gathered.map(({ message }) => message),
    );
    for (const [index, { resolve }] of gathered.entries()) resolve(jobs[index] as Promise<RecordJob>);
  }

  return (message: RunMessage): Promise<RecordJob> =>
    new Promise((resolve) => {
      if (waiting.push({ message, resolve }) === 1) setImmediate(flush);
    });
}

/** Loads the runs of a group, those that begin within `freshMs` together: a short run takes less time than its load. */
/** @param first A run that is being loaded. */
export function slotLoader(
  load: JobLoader,
  { now }: Scope,
  first?: { runId: string; job: Promise<RecordJob> },
) {
  const ahead = new Map<string, { job: Promise<RecordJob>; at: number }>();
  if (first) ahead.set(first.runId, { job: first.job, at: now().getTime() });
  const begun = new Set<string>();
  let lastAt: number | undefined;

  return ([delivered, ...later]: readonly [Delivered, ...Delivered[]]): Promise<RecordJob> => {
    const at = now().getTime();
    const runMs = lastAt === undefined ? freshMs : Math.max(1, at - lastAt);
    lastAt = at;
    begun.add(delivered.runId);
    const known = ahead.get(delivered.runId);
    ahead.delete(delivered.runId);
    if (known && at - known.at < freshMs) return known.job;
    ahead.clear();
    const seen = new Set(begun);
    for (const { runId, message, deliveries } of later.slice(0, Math.floor(freshMs / runMs) - 1)) {
      // An earlier delivery may write until its lease ends. A message may have been sent twice: what it reads of a run that
      // has begun must be newer than the end of that run.
      if (deliveries > 1 || seen.has(runId)) continue;
      seen.add(runId);
      const job = load(message);
      // It is reported when the run begins.
      job.catch(() => {});
      ahead.set(runId, { job, at });
    }
    return load(delivered.message);
  };
}
