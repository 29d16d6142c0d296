import type { CallLimits } from '../../adapters/models/call-limits.ts';
import type { Room } from './window.ts';

const callsPerLease = 15;
/** Processes that each hold a lease leave a part for others. */
const partOfRoom = 4;

/**
 * How much more than it needs a process takes, so that its next calls need no write. Near the limit that is nothing.
 * @param taken What is taken for the calls that ask.
 * @param recent How many calls it has made in the last second or two.
 */
export function moreFor(
  taken: { requests: number; tokens: number },
  room: Room,
  { limits: { tokensPerMinute }, recent }: { limits: CallLimits; recent: number },
): { requests: number; tokens: number } {
  if (taken.requests === 0) return { requests: 0, tokens: 0 };
  const tokensOfCall =
    tokensPerMinute === undefined ? 0 : Math.max(1, Math.ceil(taken.tokens / taken.requests));
  const parts = [room.requests, room.places, tokensOfCall > 0 ? room.tokens / tokensOfCall : Infinity];
  const wanted = Math.max(callsPerLease - taken.requests, recent);
  const requests = Math.max(0, Math.floor(Math.min(wanted, ...parts.map((part) => part / partOfRoom))));
  return { requests, tokens: requests * tokensOfCall };
}

/** Whether little is left, so that what a process has and does not need is worth a write. */
export const isNear = (
  room: Room,
  { requestsPerMinute, tokensPerMinute, maxConcurrent }: CallLimits,
): boolean =>
  (requestsPerMinute !== undefined && room.requests < requestsPerMinute / 2) ||
  (tokensPerMinute !== undefined && room.tokens < tokensPerMinute / 2) ||
  (maxConcurrent !== undefined && room.places < maxConcurrent / 2);
