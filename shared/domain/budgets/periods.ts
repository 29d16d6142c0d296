import { toInstant, toLocal } from '../../core/time/time-zone.ts';
import type { Budget } from './budget/budget.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

type Timing = Pick<Budget, 'period' | 'timezone' | 'createdAt'>;

/** A period of a budget, as instants in ISO; without an end if it lasts for ever. */
export interface Period {
  start: string;
  end: string | null;
}

/** The period that has an instant, in the time zone of the budget. Weeks begin on Monday. */
export function periodAt({ period, timezone, createdAt }: Timing, at: Date): Period {
  if (period === 'total') return { start: createdAt, end: null };
  const local = toLocal(at.getTime(), timezone);
  if (period === 'hour') {
    // An hour that clocks repeat is two periods.
    const start = at.getTime() - (local % hourMs);
    return { start: iso(start), end: iso(start + hourMs) };
  }
  const [first, next] = localDays[period](local);
  return { start: iso(toInstant(first, timezone, 'end')), end: iso(toInstant(next, timezone, 'end')) };
}

/** The local beginnings of a period and of the next one. */
const localDays = {
  day: (local: number) => startsOf(local - (local % dayMs), 1),
  // 1 January 1970 was a Thursday.
  week: (local: number) => startsOf(local - ((local + 3 * dayMs) % (7 * dayMs)), 7),
  month(local: number) {
    const date = new Date(local);
    const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
    return [Date.UTC(year, month, 1), Date.UTC(year, month + 1, 1)] as const;
  },
};

const startsOf = (first: number, days: number) => [first, first + days * dayMs] as const;

const iso = (instantMs: number) => new Date(instantMs).toISOString();
