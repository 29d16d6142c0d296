import { Cron } from 'croner';
import { toInstant, toLocal } from '../../core/time/time-zone.ts';
import { type CronFields, canonicalCron, parseCron } from './cron.ts';
import type { Schedule } from './schedule.ts';

export type Trigger = Pick<Schedule, 'triggerType' | 'cron' | 'runAt' | 'timezone' | 'enabled'>;

/** When a schedule fires next after a time; null if never. */
export function nextRunAfter({ enabled, triggerType, cron, runAt, timezone }: Trigger, after: Date) {
  if (!enabled) return null;
  if (triggerType === 'one_time') return runAt !== null && runAt > after.toISOString() ? runAt : null;
  return cron === null ? null : nextTime(parseCron(cron), timezone ?? 'UTC', after).toISOString();
}

/** A time in a gap of the zone's clock fires at the end of the gap, and a repeated one once. */
export function nextTime(cron: CronFields, zone: string, after: Date): Date {
  const clock = new Cron(canonicalCron(cron), { mode: '5-part', timezone: 'UTC', paused: true });
  let wall: Date | null = new Date(toLocal(Math.floor(after.getTime() / 1_000) * 1_000, zone));
  for (;;) {
    wall = clock.nextRun(wall);
    if (!wall) throw new Error(`The cron expression ${canonicalCron(cron)} has no next time`);
    const instant = toInstant(wall.getTime(), zone, 'end');
    // Not so in the second hour when clocks are set back.
    if (instant > after.getTime()) return new Date(instant);
  }
}
