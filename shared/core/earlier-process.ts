/** A run may start while the sweep of the start is under way. */
const toleranceMs = 60_000;

/** Whether a process that ran before this one started a run. Also if the clock was set back since then. */
export const isOfEarlierProcess = ({ startedAt }: { startedAt: string }, now: Date): boolean =>
  Date.parse(startedAt) < performance.timeOrigin || Date.parse(startedAt) > now.getTime() + toleranceMs;

/** Where one process runs everything: when it began, in Unix ms. What an earlier one had is free. */
export const aloneSince = () => Number(process.env.ALONE_SINCE ?? 0);
