import { createBoundedMap } from '../../core/cache.ts';

const usualMs = 15_000;
const shortMs = 5_000;
const rememberedMs = 10 * 60_000;

interface Receiver {
  tenant: string;
  url: string;
}

/** Origins that did not answer in time, each with the Unix ms until which they get less. Only what this process saw (D203). */
const slowUntil = createBoundedMap<number>({ entriesMax: 1_000 });

const toOrigin = ({ tenant, url }: Receiver) => JSON.stringify([tenant, URL.parse(url)?.origin ?? url]);

/** How long a receiver may take: less if its origin was silent a moment ago. */
export const getTimeoutMs = (receiver: Receiver, now: Date): number =>
  (slowUntil.get(toOrigin(receiver)) ?? 0) > now.getTime() ? shortMs : usualMs;

/** The shorter time, which a receiver that is only slow exceeds too, prolongs nothing. */
export function recordTimeout(receiver: Receiver, timeoutMs: number, now: Date): void {
  if (timeoutMs < usualMs) return;
  slowUntil.set(toOrigin(receiver), now.getTime() + rememberedMs);
}

export const recordAnswer = (receiver: Receiver): void => void slowUntil.delete(toOrigin(receiver));
