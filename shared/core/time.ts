import { memoise } from './cache.ts';

// Times in IANA zones by Intl, whose zone data comes with Node.

/** A date and time without a zone, as milliseconds as if it were UTC. */
export type LocalMs = number;

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

/** The IANA name of a time zone, in its usual case; undefined for any other text. Keeps names that are renamed. */
export function toTimeZoneName(text: string): string | undefined {
  // An offset such as +01:00 is no zone: it has no rules.
  if (!/^[A-Za-z][\w+/-]*$/.test(text)) return undefined;
  try {
    const { timeZone } = formatOf(text).resolvedOptions();
    return timeZone.toLowerCase() === text.toLowerCase() ? timeZone : text;
  } catch {
    return undefined;
  }
}

export const isTimeZone = (name: string) => toTimeZoneName(name) !== undefined;

/** The local time of an instant (Unix milliseconds) in a zone. */
export function toLocal(instantMs: number, zone: string): LocalMs {
  const whole = Math.floor(instantMs / 1_000) * 1_000;
  const parts = new Map(
    formatOf(zone)
      .formatToParts(whole)
      .map(({ type, value }) => [type, value]),
  );
  const getPart = (type: Intl.DateTimeFormatPartTypes) => Number(parts.get(type));
  const year = parts.get('era') === 'BC' ? 1 - getPart('year') : getPart('year');
  const local = new Date(0);
  local.setUTCFullYear(year, getPart('month') - 1, getPart('day'));
  local.setUTCHours(getPart('hour'), getPart('minute'), getPart('second'));
  return local.getTime() + (instantMs - whole);
}

/**
 * The instant (Unix milliseconds) of a local time, the earlier one of two.
 * @param inGap For a time that clocks skip. `shifted`: moved forward by the gap, as calendars do. `end`: the first instant
 * after the gap, as schedules do; for whole seconds.
 */
export function toInstant(local: LocalMs, zone: string, inGap: 'shifted' | 'end' = 'shifted'): number {
  const offsetAt = (instantMs: number) => toLocal(instantMs, zone) - instantMs;
  const [before, after] = [local - offsetAt(local - dayMs), local - offsetAt(local + dayMs)];
  const candidates = [before, after].sort((one, other) => one - other);
  const exact = candidates.find((instant) => toLocal(instant, zone) === local);
  return exact ?? (inGap === 'shifted' ? before : endOfGap(local, zone, candidates));
}

/** @param between The instants that the offsets before and after a gap give. */
function endOfGap(local: LocalMs, zone: string, [earlier = 0, later = 0]: readonly number[]): number {
  let [before, after] = [earlier, later];
  while (after - before > 1_000) {
    const middle = Math.floor((before + after) / 2_000) * 1_000;
    if (toLocal(middle, zone) < local) before = middle;
    else after = middle;
  }
  return after;
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

/** A time in Unix seconds, for JWTs and DynamoDB's item expiry. */
export const unixSeconds = (moment: Date) => Math.floor(moment.getTime() / 1_000);
