import { createBoundedMap } from '../../core/cache.ts';

/** An origin that has just refused gets one request in a while from this process, however many wait for it. */
const quietMsMin = 2_000;
const quietMsMax = 60_000;

/** Each with the Unix ms until which it is left in peace. Only what this process saw. */
const quietUntil = createBoundedMap<number>({ entriesMax: 1_000 });

/** How long an origin is to be left in peace. */
export const quietMsLeft = (origin: string, now: Date): number =>
  Math.max(0, (quietUntil.get(origin) ?? 0) - now.getTime());

/** @param askedMs What it asks for. */
export function recordRefusal(origin: string, now: Date, askedMs = 0): void {
  const quietMs = Math.min(Math.max(askedMs, quietMsMin), quietMsMax);
  quietUntil.set(origin, now.getTime() + quietMs);
}

export const recordSuccess = (origin: string): void => void quietUntil.delete(origin);
