import { Cron } from 'croner';
import { toInstant, toLocal } from '../../core/time/time-zone.ts';
import { type CronFields, canonicalCron } from './cron.ts';

/**
 * The first time after an instant at which a cron expression matches in a time zone. The library finds the time on the
 * clock; the zone says when that is, so that a time in a gap fires at its end, and a repeated one once.
 */
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
