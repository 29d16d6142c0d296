import { parseCron } from '../../../../shared/domain/schedules/cron.ts';
import { nextTime } from '../../../../shared/domain/schedules/next-time.ts';

/** The next times of a schedule, by the service's own rules for clocks that change. */
export function nextTimes(cron: string, zone: string, count: number): Date[] {
  const fields = parseCron(cron);
  const times: Date[] = [];
  while (times.length < count) times.push(nextTime(fields, zone, times.at(-1) ?? new Date()));
  return times;
}
