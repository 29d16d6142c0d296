import { createBoundedMap } from '../../core/cache.ts';

export interface Receiver {
  url: string;
  /** Undefined if it has no value. */
  secret: string | undefined;
}

const usualMs = 15_000;

const shortMs = 5_000;

const rememberedMs = 10 * 60_000;

/** Origins that did not answer in time, each with the Unix ms until which they get less. Only what this process saw (D203). */
const slowUntil = createBoundedMap<number>({ entriesMax: 1_000 });

const toOrigin = ({ tenant, url }: SlowReceiver) => JSON.stringify([tenant, URL.parse(url)?.origin ?? url]);

/** How long a receiver may take: less if its origin was silent a moment ago. */
export const getTimeoutMs = (receiver: SlowReceiver, now: Date): number =>
  (slowUntil.get(toOrigin(receiver)) ?? 0) > now.getTime() ? shortMs : usualMs;

/** The shorter time, which a receiver that is only slow exceeds too, prolongs nothing. */
export function recordTimeout(receiver: SlowReceiver, timeoutMs: number, now: Date): void {
  if (timeoutMs < usualMs) return;
  slowUntil.set(toOrigin(receiver), now.getTime() + rememberedMs);
}

export const recordAnswer = (receiver: SlowReceiver): void => void slowUntil.delete(toOrigin(receiver));
