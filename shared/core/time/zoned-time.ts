import { memoise } from '../concurrency/cache.ts';

// Times in IANA zones by Intl, whose zone data comes with Node.

/** A date and time without a zone, as milliseconds as if it were UTC. */
type LocalMs = number;

const dayMs = 86_400_000;

const formatOf = memoise(
  (timeZone) =>
    new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    }),
  { entriesMax: 50 },
);

export function isTimeZone(name: string): boolean {
  try {
    // An offset such as +02:00 is no zone: it has no rules.
    return /^[A-Za-z]/.test(name) && formatOf(name) !== undefined;
  } catch {
    return false;
  }
}

export function toLocal(instantMs: number, zone: string): LocalMs {
  const whole = Math.floor(instantMs / 1_000) * 1_000;
  const parts = new Map(
    formatOf(zone)
      .formatToParts(whole)
      .map(({ type, value }) => [type, value]),
  );
  const of = (type: Intl.DateTimeFormatPartTypes) => Number(parts.get(type));
  const year = parts.get('era') === 'BC' ? 1 - of('year') : of('year');
  const local = new Date(0);
  local.setUTCFullYear(year, of('month') - 1, of('day'));
  local.setUTCHours(of('hour'), of('minute'), of('second'));
  return local.getTime() + (instantMs - whole);
}

/** The instant of a local time. In a gap it is moved forward by the gap; of two instants it is the earlier one. */
export function toInstant(local: LocalMs, zone: string): number {
  const offsetAt = (instantMs: number) => toLocal(instantMs, zone) - instantMs;
  const [before, after] = [offsetAt(local - dayMs), offsetAt(local + dayMs)];
  const candidates = [local - before, local - after].sort((one, other) => one - other);
  return candidates.find((instant) => toLocal(instant, zone) === local) ?? local - before;
}

/** Adds to the calendar date; a day that the month does not have becomes its last one. */
export function addToDate(local: LocalMs, { months, days }: { months: number; days: number }): LocalMs {
  const date = new Date(local);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + months);
  const last = new Date(Date.UTC(2000, 0, 1));
  last.setUTCFullYear(date.getUTCFullYear(), date.getUTCMonth() + 1, 0);
  date.setUTCDate(Math.min(day, last.getUTCDate()));
  return date.getTime() + days * dayMs;
}

/** `+02:00` */
export function offsetText(local: LocalMs, instantMs: number): string {
  const minutes = Math.round((local - instantMs) / 60_000);
  const two = (number: number) => String(number).padStart(2, '0');
  const size = Math.abs(minutes);
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}
