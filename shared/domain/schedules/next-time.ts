import { Cron } from 'croner';
import { toInstant, toLocal } from '../../core/time.ts';
import { type CronFields, parseCron, renderCron } from './cron.ts';
import type { Schedule } from './schedule.ts';

export type Trigger = Pick<Schedule, 'triggerType' | 'cron' | 'runAt' | 'timezone' | 'enabled'>;

/** When a schedule fires next after a time; null if never. */
export function findNextRun({ enabled, triggerType, cron, runAt, timezone }: Trigger, after: Date) {
  if (!enabled) return null;
  if (triggerType === 'one_time') return runAt !== null && runAt > after.toISOString() ? runAt : null;
  return cron === null ? null : findNextTime(parseCron(cron), timezone ?? 'UTC', after).toISOString();
}

const dayMs = 86_400_000;

/**
 * A time in a gap of the zone's clock fires at the end of the gap. An hour that comes twice counts twice for jobs of every
 * few minutes or hours, which go on, and once for those that name an hour.
 */
export function findNextTime(cron: CronFields, zone: string, after: Date): Date {
  const clock = new Cron(renderCron(cron), { mode: '5-part', timezone: 'UTC', paused: true });
  const afterMs = after.getTime();
  const offset = offsetAt(afterMs, zone);
  let wall: Date | null = new Date(Math.floor(afterMs / 1_000) * 1_000 + offset);
  for (;;) {
    wall = clock.nextRun(wall);
    if (!wall) throw new Error(`The cron expression ${renderCron(cron)} has no next time`);
    const first = toInstant(wall.getTime(), zone, 'end');
    const again = wall.getTime() - offset;
    if (first > afterMs) {
      return new Date(cron.isOfEveryHours ? (findRepeatedTime(clock, zone, afterMs, first) ?? first) : first);
    }
    // In the second hour when clocks are set back.
    if (cron.isOfEveryHours && again > afterMs && offsetAt(again, zone) === offset) return new Date(again);
  }
}

const offsetAt = (instantMs: number, zone: string) => toLocal(instantMs, zone) - instantMs;

/** The first time after clocks are set back, if that is before `nextMs`. Clocks then show times once more that are past. */
function findRepeatedTime(clock: Cron, zone: string, afterMs: number, nextMs: number): number | undefined {
  let [before, since] = [afterMs, Math.min(nextMs, afterMs + dayMs)];
  const offset = offsetAt(since, zone);
  if (offset >= offsetAt(before, zone)) return undefined;
  while (since - before > 1_000) {
    const middle = Math.floor((before + since) / 2_000) * 1_000;
    if (offsetAt(middle, zone) === offset) since = middle;
    else before = middle;
  }
  const wall = clock.nextRun(new Date(since + offset - 1_000));
  const instant = wall ? wall.getTime() - offset : nextMs;
  return instant < nextMs ? instant : undefined;
}
