import type { CallLimits } from '../../adapters/models/call-limits.ts';
import { isNear, moreFor } from './lease-size.ts';
import { type Sent, summed } from './sent.ts';
import type { Lease, Throttle } from './throttle.ts';
import { turnsUntil, withTurn } from './turns.ts';
import { countedMs, current, freeAt, type Room, roomIn } from './window.ts';

/** A call that asks to be made. */
interface Wanted {
  tokens: number;
  isLive: boolean;
  /** Whether its turn has come, which it was given before. */
  isDue: boolean;
}

/** What a process asks for, and what it has sent since it asked before. */
export interface Ask {
  holder: string;
  /** Corrections of tokens have no requests. */
  sent: readonly Sent[];
  inFlight: number;
  /** In their order, live ones first. */
  wanted: readonly Wanted[];
  /** Whether the item is to say what the process has now, also if it gets nothing. */
  isRenewal?: boolean;
}

export interface Decision {
  throttle: Throttle;
  /** How many of the wanted calls may be made, from the first on. */
  granted: number;
  lease: Lease;
  /** The turn of each of the others that has none yet. Unix ms. */
  turns: (number | undefined)[];
  /** When to ask again. Unix ms. */
  askAt: number;
  isNear: boolean;
  /** Whether it says anything that the item does not. */
  isNews: boolean;
}

/** Of a lease for calls that are made at once, and of one that is for later calls too. */
const leaseMs = { short: 1_000, long: 20_000 };
/** After which a process that does not renew its places counts as dead. */
const heldMs = 30_000;
/** After which a process asks again for what no clock frees. */
const pollMs = 300;
/** After which a process says again that its calls wait. */
const toldMs = 1_500;

/** What a process may send, and what the others then see of it. */
export function decide(before: Throttle, ask: Ask, limits: CallLimits, now: number): Decision {
  const { holder, inFlight, wanted } = ask;
  const throttle = current(settled(before, ask), now);
  const room = roomFor(throttle, ask, limits, now);
  const taken = takenOf(throttle, room, { wanted, limits, now });
  const blocked = wanted.slice(taken.requests);
  const [first] = blocked;
  const from = first ? freeFrom(throttle, { room, taken, limits, now }, first) : now;
  const waits = turnsOf(throttle, blocked, { from: Number.isFinite(from) ? from : now, limits });
  const isCrowded = Object.keys(throttle.waiting).length > 0;
  const more =
    first || isCrowded
      ? { requests: 0, tokens: 0 }
      : moreFor(taken, room, { limits, recent: recentOf(ask, now) });
  const places = limits.maxConcurrent === undefined ? 0 : inFlight + taken.requests + more.requests;
  const lease: Lease = {
    requests: taken.requests + more.requests,
    tokens: taken.tokens + more.tokens,
    until: now + (more.requests > 0 ? leaseMs.long : leaseMs.short),
    places,
    heldUntil: places > 0 ? now + heldMs : 0,
  };
  const told = before.waiting[holder];
  const isUntold = first !== undefined && (!told || told.at <= now - toldMs);
  return {
    throttle: {
      ...throttle,
      // Later than that of an item that has expired.
      version: Math.max(before.version + 1, now),
      leases: { ...throttle.leases, ...(lease.requests + places > 0 && { [holder]: lease }) },
      waiting: waitingWith(throttle, holder, blocked, now),
      turns: waits.turns,
      ttl: Math.ceil((now + countedMs + leaseMs.long + heldMs) / 1_000),
    },
    granted: taken.requests,
    lease,
    turns: waits.given,
    askAt: from > now && Number.isFinite(from) ? from : now + pollMs,
    isNear: isNear(room, limits),
    isNews:
      (ask.isRenewal ?? false) ||
      taken.requests > 0 ||
      ask.sent.length > 0 ||
      isUntold ||
      waits.given.some((turn) => turn !== undefined),
  };
}

/** What the process has sent takes the place of what it might have sent. */
function settled(throttle: Throttle, { holder, sent }: Ask): Throttle {
  const { [holder]: _lease, ...leases } = throttle.leases;
  const { [holder]: _waiting, ...waiting } = throttle.waiting;
  const [oldest] = throttle.sent;
  // Corrections of what no longer counts are none.
  const counted = sent.filter(
    ({ requests, second }) => requests > 0 || second >= (oldest?.second ?? Infinity),
  );
  return { ...throttle, leases, waiting, sent: summed([...throttle.sent, ...counted]) };
}

const recentOf = ({ sent }: Ask, now: number) =>
  sent
    .filter(({ second }) => second >= Math.floor(now / 1_000) - 1)
    .reduce((sum, { requests }) => sum + requests, 0);

/** While others wait, a process has its share of the places only. */
function roomFor(throttle: Throttle, { inFlight }: Ask, limits: CallLimits, now: number): Room {
  const room = roomIn(throttle, limits, { now, inFlight });
  const waiting = Object.keys(throttle.waiting).length;
  if (limits.maxConcurrent === undefined || waiting === 0) return room;
  const share = Math.max(1, Math.floor(limits.maxConcurrent / (waiting + 1)));
  return { ...room, places: Math.min(room.places, share - inFlight) };
}

/** When there is room for a call that waits. Infinity if no clock tells. */
function freeFrom(
  throttle: Throttle,
  { room, taken, limits, now }: { room: Room; taken: Taken; limits: CallLimits; now: number },
  call: Wanted,
): number {
  if (!call.isLive && throttle.turns.live > now) return throttle.turns.live;
  const lease = { ...taken, until: now + leaseMs.short, places: 0, heldUntil: 0 };
  const counted = { ...throttle, leases: { ...throttle.leases, taken: lease } };
  return freeAt(counted, room, costOf(call, limits), now);
}

interface Taken {
  requests: number;
  tokens: number;
}

/** No call takes more than there is. */
const costOf = ({ tokens }: Wanted, { tokensPerMinute = 0 }: CallLimits) => Math.min(tokens, tokensPerMinute);

/** Takes from the room what the calls need, up to the first that has to wait. */
function takenOf(
  { turns, waiting }: Throttle,
  room: Room,
  { wanted, limits, now }: { wanted: readonly Wanted[]; limits: CallLimits; now: number },
): Taken {
  const live = Object.values(waiting).reduce((sum, each) => sum + each.live, 0);
  const taken = { requests: 0, tokens: 0 };
  for (const call of wanted) {
    const cost = costOf(call, limits);
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

function turnsOf(
  { turns: before, sent }: Throttle,
  blocked: readonly Wanted[],
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
    const tokens = Math.min(costOf(call, limits), usual);
    const next = withTurn(turns, { ...call, tokens }, { from, limits });
    turns = next.turns;
    return next.turn;
  });
  return { turns, given };
}

function waitingWith(
  { waiting }: Throttle,
  holder: string,
  blocked: readonly Wanted[],
  now: number,
): Throttle['waiting'] {
  if (blocked.length === 0) return waiting;
  const live = blocked.filter(({ isLive }) => isLive).length;
  return { ...waiting, [holder]: { live, batch: blocked.length - live, at: now } };
}
