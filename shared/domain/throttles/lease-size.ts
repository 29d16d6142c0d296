import type { CallLimits } from '../../adapters/models/call-limits.ts';
import type { Room } from './window.ts';

const callsPerLease = 15;
/** Processes that each hold a lease leave a part for others. */
const partOfRoom = 4;

/** For later calls of a process. */
export interface More {
  requests: number;
  tokens: number;
  places: number;
}

/**
 * How much more than it needs a process takes, so that its next calls need no write. Near the limit that is nothing.
 * @param asking How many calls ask, and their tokens. Those that wait for a place only are made when the process has one free.
 * @param taken How many of them may be made.
 * @param recent How many calls it has made in the last second or two.
 */
export function moreFor(
  asking: { requests: number; tokens: number },
  room: Room,
  { limits: { tokensPerMinute }, taken, recent }: { limits: CallLimits; taken: number; recent: number },
): More {
  if (asking.requests === 0) return nothing;
  const tokensOfCall =
    tokensPerMinute === undefined ? 0 : Math.max(1, Math.ceil(asking.tokens / asking.requests));
  const atMost = (...parts: number[]) =>
    Math.max(0, Math.floor(Math.min(...parts.map((part) => part / partOfRoom))));
  const wanted = Math.max(callsPerLease - taken, recent);
  const requests = Math.min(
    wanted,
    atMost(room.requests, tokensOfCall > 0 ? room.tokens / tokensOfCall : Infinity),
  );
  return { requests, tokens: requests * tokensOfCall, places: Math.min(requests, atMost(room.places)) };
}

export const nothing: More = { requests: 0, tokens: 0, places: 0 };

/** Whether little is left, so that what a process has and does not need is worth a write. */
export const isNear = (
  room: Room,
  { requestsPerMinute, tokensPerMinute, maxConcurrent }: CallLimits,
): boolean =>
  (requestsPerMinute !== undefined && room.requests < requestsPerMinute / 2) ||
  (tokensPerMinute !== undefined && room.tokens < tokensPerMinute / 2) ||
  (maxConcurrent !== undefined && room.places < maxConcurrent / 2);
