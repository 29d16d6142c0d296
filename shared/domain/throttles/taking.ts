import type { CallLimits } from '../../adapters/models/call-limits.ts';
import type { Throttle } from './throttle.ts';
import { turnsUntil } from './turns.ts';
import { freeAt, type Room, roomIn } from './window.ts';

/** A call that asks to be made. */
export interface ThrottledCall {
  tokens: number;
  isLive: boolean;
  /** Whether its turn has come, which it was given before. */
  isDue: boolean;
}

export interface Taken {
  requests: number;
  tokens: number;
}

/** Of a lease for calls that are made at once. */
export const shortLeaseMs = 1_000;

/**
 * How many places a process may use by itself. While others wait that is its share, rounded up if each of them has one: so
 * all places are used, and nobody is left without. If they are more than there are places, each one is asked for.
 */
export function shareOfPlaces({ waiting, leases }: Throttle, limits: CallLimits, now: number): number {
  const { maxConcurrent = Infinity } = limits;
  const others = Object.keys(waiting);
  const hasPlace = (holder: string) => {
    const { places = 0, heldUntil = 0 } = leases[holder] ?? {};
    return places > 0 && heldUntil > now;
  };
  const share = maxConcurrent / (others.length + 1);
  return others.every(hasPlace) ? Math.ceil(share) : Math.floor(share);
}

/** While others wait, a process has its share of the places only, but one at least. */
export function roomFor(throttle: Throttle, inFlight: number, limits: CallLimits, now: number): Room {
  const room = roomIn(throttle, limits, { now, inFlight });
  const share = Math.max(1, shareOfPlaces(throttle, limits, now));
  return { ...room, places: Math.min(room.places, share - inFlight) };
}

/** When there is room for a call that waits. Infinity if no clock tells. */
export function freeFrom(
  throttle: Throttle,
  { room, taken, limits, now }: { room: Room; taken: Taken; limits: CallLimits; now: number },
  call: ThrottledCall,
): number {
  if (!call.isLive && throttle.turns.live > now) return throttle.turns.live;
  const lease = { ...taken, until: now + shortLeaseMs, places: 0, heldUntil: 0 };
  const counted = { ...throttle, leases: { ...throttle.leases, taken: lease } };
  return freeAt(counted, room, tokensToTake(call, limits), now);
}

/** No call takes more than there is. */
export const tokensToTake = ({ tokens }: ThrottledCall, { tokensPerMinute = 0 }: CallLimits) =>
  Math.min(tokens, tokensPerMinute);

/** Takes from the room what the calls need, up to the first that has to wait. */
export function takeRoom(
  { turns, waiting }: Throttle,
  room: Room,
  { wanted, limits, now }: { wanted: readonly ThrottledCall[]; limits: CallLimits; now: number },
): Taken {
  const live = Object.values(waiting).reduce((sum, each) => sum + each.live, 0);
  const taken = { requests: 0, tokens: 0 };
  for (const call of wanted) {
    const cost = tokensToTake(call, limits);
    const kept = call.isLive ? 0 : live;
    const turnsBefore = call.isDue ? (call.isLive ? 0 : turns.live) : turnsUntil(turns, call.isLive);
    if (turnsBefore > now || room.requests - kept < 1 || room.tokens < cost || room.places < 1) break;
    taken.requests++;
    taken.tokens += cost;
    room.requests--;
    room.tokens -= cost;
    room.places--;
  }
  return taken;
}
