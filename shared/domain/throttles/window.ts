import type { CallLimits } from '../../adapters/models/call-limits.ts';
import type { SentInSecond } from './sent.ts';
import type { Throttle } from './throttle.ts';

/**
 * How long what was sent counts: a minute, and a margin in which a request may still be on its way to the provider, and the
 * clocks of two processes may differ.
 */
export const countedMs = 62_000;

/** How many requests and tokens are still free, and how many places for calls at the same time. */
export interface Room {
  requests: number;
  tokens: number;
  places: number;
}

const endOf = ({ second }: SentInSecond) => (second + 1) * 1_000;

/** Without what no longer counts. */
export function current(throttle: Throttle, now: number): Throttle {
  const { sent, leases, waiting } = throttle;
  const since = now - countedMs;
  return {
    ...throttle,
    sent: sent.filter((each) => endOf(each) > since),
    leases: entriesWhere(leases, ({ until, heldUntil }) => until > since || heldUntil > now),
    waiting: entriesWhere(waiting, ({ at }) => at > now - waitingMs),
  };
}

/** Whoever waits asks again sooner. */
const waitingMs = 3_000;

const entriesWhere = <T>(all: Readonly<Record<string, T>>, test: (value: T) => boolean) =>
  Object.fromEntries(Object.entries(all).filter(([, value]) => test(value)));

/** @param inFlight How many calls the asking process, which has no lease here, has begun. */
export function roomIn(
  throttle: Throttle,
  limits: CallLimits,
  { now, inFlight }: { now: number; inFlight: number },
): Room {
  const counted = countedIn(throttle);
  const sum = (name: 'requests' | 'tokens') => counted.reduce((all, each) => all + each[name], 0);
  const held = Object.values(throttle.leases)
    .filter(({ heldUntil }) => heldUntil > now)
    .reduce((all, { places }) => all + places, inFlight);
  const { requestsPerMinute = Infinity, tokensPerMinute = Infinity, maxConcurrent = Infinity } = limits;
  return {
    requests: requestsPerMinute - sum('requests'),
    tokens: tokensPerMinute - sum('tokens'),
    places: maxConcurrent - held,
  };
}

interface Counted {
  requests: number;
  tokens: number;
  /** When it no longer counts. */
  freeAt: number;
}

function countedIn({ sent, leases }: Throttle): Counted[] {
  return [
    ...sent.map((each) => ({ ...each, freeAt: endOf(each) + countedMs })),
    ...Object.values(leases).map((lease) => ({ ...lease, freeAt: lease.until + countedMs })),
  ];
}

/** When there is room for a call, if nothing else is sent. Infinity if something else than the minute prevents it. */
export function freeAt(throttle: Throttle, room: Room, tokens: number, now: number): number {
  const found = { ...room };
  const fits = () => found.requests >= 1 && found.tokens >= tokens;
  if (fits()) return now;
  for (const each of countedIn(throttle).toSorted((one, other) => one.freeAt - other.freeAt)) {
    found.requests += each.requests;
    found.tokens += each.tokens;
    if (fits()) return Math.max(now, each.freeAt);
  }
  return Infinity;
}
