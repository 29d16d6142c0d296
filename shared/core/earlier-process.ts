/** A run may start while the sweep of the start is under way. */
const toleranceMs = 60_000;

/** Whether a process that ran before this one started a run. Also if the clock was set back since then. */
export const isOfEarlierProcess = ({ startedAt }: { startedAt: string }, now: Date): boolean =>
  Date.parse(startedAt) < Math.min(performance.timeOrigin, getAloneSince() || Number.POSITIVE_INFINITY) ||
  Date.parse(startedAt) > Math.max(now.getTime() + toleranceMs, getAloneUntil());

/** Where one process runs everything: when it began, in Unix ms. What an earlier one had is free. */
export const getAloneSince = () => Number(process.env.ALONE_SINCE ?? 0);

/** The latest time that it saw before its clock was set back, in Unix ms. */
const getAloneUntil = () => Number(process.env.ALONE_UNTIL ?? 0);

/** Moves these times with the clock of the machine, so that what this process began remains its own. */
export function noteClockJump(byMs: number, now = Date.now()): void {
  if (byMs >= 0 || !process.env.ALONE_SINCE) return;
  process.env.ALONE_SINCE = String(getAloneSince() + byMs);
  process.env.ALONE_UNTIL = String(Math.max(getAloneUntil(), now - byMs));
}
