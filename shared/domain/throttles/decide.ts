import type { CallLimits } from '../../adapters/models/call-limits.ts';
import { isNear, type More, moreFor, nothing } from './lease-size.ts';
import { type SentInSecond, summed } from './sent.ts';
import {
  freeFrom,
  roomFor,
  shareOfPlaces,
  shortLeaseMs,
  type Taken,
  type ThrottledCall,
  takeRoom,
  tokensToTake,
} from './taking.ts';
import type { Throttle, ThrottleLease } from './throttle.ts';
import { paceTurns, turnsUntil, withServed, withTurn } from './turns.ts';
import { countedMs, current, freeAt, type Room } from './window.ts';

/** What a process asks for, and what it has sent since it asked before. */
export interface Ask {
  holder: string;
  /** Corrections of tokens have no requests. */
  sent: readonly SentInSecond[];
  inFlight: number;
  /** In their order, live ones first. */
  wanted: readonly ThrottledCall[];
  /** Whether the item is to say what the process has now, also if it gets nothing. */
  isRenewal?: boolean;
}

export interface ThrottleDecision {
  throttle: Throttle;
  /** How many of the wanted calls may be made, from the first on. */
  granted: number;
  lease: ThrottleLease;
  /** How many calls at a time the process may have by itself, until the lease ends. */
  allowedPlaces: number;
  /** The turn of each of the others that has none yet. Unix ms. */
  turns: (number | undefined)[];
  /** When to ask again. Unix ms. */
  askAt: number;
  isNear: boolean;
  /** Whether it says anything that the item does not. */
  isNews: boolean;
}

/** Of a lease that is for later calls too. */
const longLeaseMs = 20_000;
/** After which a process that does not renew its places counts as dead. */
const heldMs = 30_000;
/** Longer than anything counts. */
const keptMs = 2 * (countedMs + longLeaseMs);
/** After which a process asks again for what no clock frees. */
const pollMs = 300;
/** After which a process says again that its calls wait. */
const toldMs = 1_500;

/** What a process may send, and what the others then see of it. */
export function decide(before: Throttle, ask: Ask, limits: CallLimits, now: number): ThrottleDecision {
  const { holder, inFlight, wanted } = ask;
  const known = current(settled(before, ask), now);
  const throttle = { ...known, turns: paceTurns(known.turns, limits, now) };
  const room = roomFor(throttle, inFlight, limits, now);
  const taken = takeRoom(throttle, room, { wanted, limits, now });
  const blocked = wanted.slice(taken.requests);
  const [first] = blocked;
  const from = first ? freeFrom(throttle, { room, taken, limits, now }, first) : now;
  const waits = turnsOf(throttle, blocked, { from: Number.isFinite(from) ? from : now, limits });
  const more = moreOf(throttle, ask, { taken, room, limits, now });
  const places = limits.maxConcurrent === undefined ? 0 : inFlight + taken.requests + more.places;
  const lease: ThrottleLease = {
    requests: taken.requests + more.requests,
    tokens: taken.tokens + more.tokens,
    until: now + (more.requests > 0 && !first ? longLeaseMs : shortLeaseMs),
    places,
    heldUntil: places > 0 ? now + heldMs : 0,
  };
  const announced = before.waiting[holder];
  const isUnannounced = first !== undefined && (!announced || announced.at <= now - toldMs);
  return {
    throttle: {
      ...throttle,
      // Later than that of an item that has expired.
      version: Math.max(before.version + 1, now),
      leases: { ...throttle.leases, ...(lease.requests + places > 0 && { [holder]: lease }) },
      waiting: waitingWith(throttle, holder, blocked, now),
      turns: withServed(waits.turns, wanted.slice(0, taken.requests), now),
      ttl: Math.ceil((Math.max(now, turnsUntil(waits.turns, false)) + keptMs) / 1_000),
    },
    granted: taken.requests,
    lease,
    allowedPlaces: Math.min(places, shareOfPlaces(throttle, limits, now)),
    turns: waits.given,
    askAt: from > now && Number.isFinite(from) ? from : now + pollMs,
    isNear: isNear(room, limits),
    isNews:
      (ask.isRenewal ?? false) ||
      taken.requests > 0 ||
      ask.sent.length > 0 ||
      isUnannounced ||
      waits.given.some((turn) => turn !== undefined),
  };
}

/** While others wait, and while calls wait for what a clock frees, a process takes no more than they need. */
function moreOf(
  throttle: Throttle,
  ask: Ask,
  { taken, room, limits, now }: { taken: Taken; room: Room; limits: CallLimits; now: number },
): More {
  const first = ask.wanted[taken.requests];
  const tokens = first ? tokensToTake(first, limits) : 0;
  const lacksPlace = first && room.places < 1 && freeAt(throttle, room, tokens, now) <= now;
  if (Object.keys(throttle.waiting).length > 0 || (first && !lacksPlace)) return nothing;
  const asking = first ? { requests: taken.requests + 1, tokens: taken.tokens + tokens } : taken;
  return moreFor(asking, room, { limits, taken: taken.requests, recent: recentOf(ask, now) });
}

/** What the process has sent takes the place of what it might have sent. */
function settled(throttle: Throttle, { holder, sent }: Ask): Throttle {
  const { [holder]: _lease, ...leases } = throttle.leases;
  const { [holder]: _waiting, ...waiting } = throttle.waiting;
  const isCounted = new Set(
    [...throttle.sent, ...sent.filter(({ requests }) => requests > 0)].map(({ second }) => second),
  );
  // Corrections of what no longer counts are none.
  const counted = sent.filter(({ second }) => isCounted.has(second));
  return { ...throttle, leases, waiting, sent: summed([...throttle.sent, ...counted]) };
}

const recentOf = ({ sent }: Ask, now: number) =>
  sent
    .filter(({ second }) => second >= Math.floor(now / 1_000) - 1)
    .reduce((sum, { requests }) => sum + requests, 0);

function turnsOf(
  { turns: before, sent }: Throttle,
  blocked: readonly ThrottledCall[],
  { from, limits }: { from: number; limits: CallLimits },
) {
  const all = sent.reduce(
    (sum, each) => ({ requests: sum.requests + each.requests, tokens: sum.tokens + each.tokens }),
    {
      requests: 0,
      tokens: 0,
    },
  );
  // Calls use less than they reserve.
  const usual = all.requests > 0 ? all.tokens / all.requests : Infinity;
  let turns = before;
  const given = blocked.map((call) => {
    if (call.isDue) return undefined;
    const tokens = Math.min(tokensToTake(call, limits), usual);
    const next = withTurn(turns, { ...call, tokens }, { from, limits });
    turns = next.turns;
    return next.turn;
  });
  return { turns, given };
}

function waitingWith(
  { waiting }: Throttle,
  holder: string,
  blocked: readonly ThrottledCall[],
  now: number,
): Throttle['waiting'] {
  if (blocked.length === 0) return waiting;
  const live = blocked.filter(({ isLive }) => isLive).length;
  return { ...waiting, [holder]: { live, batch: blocked.length - live, at: now } };
}
