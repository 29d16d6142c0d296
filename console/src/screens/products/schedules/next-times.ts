import { parseCron } from '../../../../../shared/domain/schedules/cron.ts';
import { findNextTime } from '../../../../../shared/domain/schedules/next-time.ts';

const dayMs = 86_400_000;
const counted = 200;

/** How often a schedule runs in the next 30 days. Of frequent ones an estimate, by the next 200 times. */
export function runsOfMonth(cron: string, zone: string): number {
  const now = Date.now();
  const ends = nextTimes(cron, zone, counted).map((time) => time.getTime());
  const within = ends.filter((time) => time <= now + 30 * dayMs).length;
  return within < counted ? within : Math.round((counted * 30 * dayMs) / ((ends.at(-1) ?? now) - now));
}

/** The next times of a schedule, by the service's own rules for clocks that change. */
export function nextTimes(cron: string, zone: string, count: number): Date[] {
  const fields = parseCron(cron);
  const times: Date[] = [];
  while (times.length < count) times.push(findNextTime(fields, zone, times.at(-1) ?? new Date()));
  return times;
}
