/** An hour is named `2026-11-26T08`, a day `2026-11-26`, in UTC. */
export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

export const isDay = (period: string) => period.length === 10;
export const toDay = (period: string) => period.slice(0, 10);
export const periodStartMs = (period: string) => Date.parse(isDay(period) ? period : `${period}:00:00Z`);
export const periodEnd = (period: string) => periodStartMs(period) + (isDay(period) ? dayMs : hourMs);

/** The hours or the days from one to another, both included. */
export function listPeriods(from: string, to: string): string[] {
  const periods: string[] = [];
  for (let at = periodStartMs(from); at <= periodStartMs(to); at += isDay(from) ? dayMs : hourMs) {
    periods.push(new Date(at).toISOString().slice(0, from.length));
  }
  return periods;
}
