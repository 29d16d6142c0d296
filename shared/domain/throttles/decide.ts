/**
 * Decides how many calls of a model a process may make now, under the limits of a config or a key for requests, tokens and
 * concurrent calls.
 *
 * A process asks with what it has sent since and which calls wait; the decision answers how many may be made, a lease for
 * later calls, and the turn of each of the others. What may be sent under a lease counts as sent, until the process says what
 * it really sent; so the limits hold even if a process crashes. While others wait, a process gets its share of the places and
 * no lease for later. Live calls come before those of batches.
 *
 * Pure: the item and the clock come in, the next item comes out. `shared/execution/model-calls` reads and writes the item with
 * a condition on its version, and decides again after a conflict.
 */

import type { CallLimits } from '../../adapters/models/call-limits.ts';
import { type SentInSecond, sumSeconds, type Throttle, type ThrottleLease } from './throttle.ts';

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

/**
 * How long what was sent counts: a minute, and a margin in which a request may still be on its way to the provider, and the
 * clocks of two processes may differ.
 */
const countedMs = 62_000;
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
  const current = dropExpired(settleSent(before, ask), now);
  const throttle = { ...current, turns: paceTurns(current.turns, limits, now) };
  const room = limitRoom(throttle, inFlight, limits, now);
  const taken = consumeRoom(throttle, room, { wanted, limits, now });
  const blocked = wanted.slice(taken.requests);
  const [first] = blocked;
  const from = first ? freeFrom(throttle, { room, taken, limits, now }, first) : now;
  const waits = assignTurns(throttle, blocked, { from: Number.isFinite(from) ? from : now, limits });
  const more = decideMore(throttle, ask, { taken, room, limits, now });
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
      waiting: updateWaiting(throttle, holder, blocked, now),
      turns: markServed(waits.turns, wanted.slice(0, taken.requests), now),
      ttl: Math.ceil((Math.max(now, getTurnsEnd(waits.turns, false)) + keptMs) / 1_000),
    },
    granted: taken.requests,
    lease,
    allowedPlaces: Math.min(places, shareOfPlaces(throttle, limits, now)),
    turns: waits.assigned,
    askAt: from > now && Number.isFinite(from) ? from : now + pollMs,
    isNear: isNear(room, limits),
    isNews:
      (ask.isRenewal ?? false) ||
      taken.requests > 0 ||
      ask.sent.length > 0 ||
      isUnannounced ||
      waits.assigned.some((turn) => turn !== undefined),
  };
}

/** How many requests and tokens are still free, and how many places for calls at the same time. */
interface Room {
  requests: number;
  tokens: number;
  places: number;
}

const getEnd = ({ second }: SentInSecond) => (second + 1) * 1_000;

/** Without what no longer counts. */
function dropExpired(throttle: Throttle, now: number): Throttle {
  const { sent, leases, waiting } = throttle;
  const since = now - countedMs;
  return {
    ...throttle,
    sent: sent.filter((each) => getEnd(each) > since),
    leases: filterEntries(leases, ({ until, heldUntil }) => until > since || heldUntil > now),
    waiting: filterEntries(waiting, ({ at }) => at > now - waitingMs),
  };
}

/** Whoever waits asks again sooner. */
const waitingMs = 3_000;

const filterEntries = <T>(all: Readonly<Record<string, T>>, test: (value: T) => boolean) =>
  Object.fromEntries(Object.entries(all).filter(([, value]) => test(value)));

/** @param inFlight How many calls the asking process, which has no lease here, has begun. */
function computeRoom(
  throttle: Throttle,
  limits: CallLimits,
  { now, inFlight }: { now: number; inFlight: number },
): Room {
  const counted = listCounted(throttle);
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

function listCounted({ sent, leases }: Throttle): Counted[] {
  return [
    ...sent.map((each) => ({ ...each, freeAt: getEnd(each) + countedMs })),
    ...Object.values(leases).map((lease) => ({ ...lease, freeAt: lease.until + countedMs })),
  ];
}

/** When there is room for a call, if nothing else is sent. Infinity if something else than the minute prevents it. */
function freeAt(throttle: Throttle, room: Room, tokens: number, now: number): number {
  const found = { ...room };
  const fits = () => found.requests >= 1 && found.tokens >= tokens;
  if (fits()) return now;
  for (const each of listCounted(throttle).toSorted((one, other) => one.freeAt - other.freeAt)) {
    found.requests += each.requests;
    found.tokens += each.tokens;
    if (fits()) return Math.max(now, each.freeAt);
  }
  return Infinity;
}

/** While others wait, and while calls wait for what a clock frees, a process takes no more than they need. */
function decideMore(
  throttle: Throttle,
  ask: Ask,
  { taken, room, limits, now }: { taken: Taken; room: Room; limits: CallLimits; now: number },
): More {
  const first = ask.wanted[taken.requests];
  const tokens = first ? countTokens(first, limits) : 0;
  const lacksPlace = first && room.places < 1 && freeAt(throttle, room, tokens, now) <= now;
  if (Object.keys(throttle.waiting).length > 0 || (first && !lacksPlace)) return nothing;
  const asking = first ? { requests: taken.requests + 1, tokens: taken.tokens + tokens } : taken;
  return computeMore(asking, room, { limits, taken: taken.requests, recent: countRecent(ask, now) });
}

/** What the process has sent takes the place of what it might have sent. */
function settleSent(throttle: Throttle, { holder, sent }: Ask): Throttle {
  const { [holder]: _lease, ...leases } = throttle.leases;
  const { [holder]: _waiting, ...waiting } = throttle.waiting;
  const isCounted = new Set(
    [...throttle.sent, ...sent.filter(({ requests }) => requests > 0)].map(({ second }) => second),
  );
  // Corrections of what no longer counts are none.
  const counted = sent.filter(({ second }) => isCounted.has(second));
  return { ...throttle, leases, waiting, sent: sumSeconds([...throttle.sent, ...counted]) };
}

const countRecent = ({ sent }: Ask, now: number) =>
  sent
    .filter(({ second }) => second >= Math.floor(now / 1_000) - 1)
    .reduce((sum, { requests }) => sum + requests, 0);

function assignTurns(
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
  const assigned = blocked.map((call) => {
    if (call.isDue) return undefined;
    const tokens = Math.min(countTokens(call, limits), usual);
    const next = addTurn(turns, { ...call, tokens }, { from, limits });
    turns = next.turns;
    return next.turn;
  });
  return { turns, assigned };
}

function updateWaiting(
  { waiting }: Throttle,
  holder: string,
  blocked: readonly ThrottledCall[],
  now: number,
): Throttle['waiting'] {
  if (blocked.length === 0) return waiting;
  const live = blocked.filter(({ isLive }) => isLive).length;
  return { ...waiting, [holder]: { live, batch: blocked.length - live, at: now } };
}

/** A call that asks to be made. */
interface ThrottledCall {
  tokens: number;
  isLive: boolean;
  /** Whether its turn has come, which it was given before. */
  isDue: boolean;
}

interface Taken {
  requests: number;
  tokens: number;
}

/** Of a lease for calls that are made at once. */
const shortLeaseMs = 1_000;

/**
 * How many places a process may use by itself. While others wait that is its share, rounded up if each of them has one: so
 * all places are used, and nobody is left without. If they are more than there are places, each one is asked for.
 */
function shareOfPlaces({ waiting, leases }: Throttle, limits: CallLimits, now: number): number {
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
function limitRoom(throttle: Throttle, inFlight: number, limits: CallLimits, now: number): Room {
  const room = computeRoom(throttle, limits, { now, inFlight });
  const share = Math.max(1, shareOfPlaces(throttle, limits, now));
  return { ...room, places: Math.min(room.places, share - inFlight) };
}

/** When there is room for a call that waits. Infinity if no clock tells. */
function freeFrom(
  throttle: Throttle,
  { room, taken, limits, now }: { room: Room; taken: Taken; limits: CallLimits; now: number },
  call: ThrottledCall,
): number {
  if (!call.isLive && throttle.turns.live > now) return throttle.turns.live;
  const lease = { ...taken, until: now + shortLeaseMs, places: 0, heldUntil: 0 };
  const counted = { ...throttle, leases: { ...throttle.leases, taken: lease } };
  return freeAt(counted, room, countTokens(call, limits), now);
}

/** No call takes more than there is. */
const countTokens = ({ tokens }: ThrottledCall, { tokensPerMinute = 0 }: CallLimits) =>
  Math.min(tokens, tokensPerMinute);

/** Takes from the room what the calls need, up to the first that has to wait. */
function consumeRoom(
  { turns, waiting }: Throttle,
  room: Room,
  { wanted, limits, now }: { wanted: readonly ThrottledCall[]; limits: CallLimits; now: number },
): Taken {
  const live = Object.values(waiting).reduce((sum, each) => sum + each.live, 0);
  const taken = { requests: 0, tokens: 0 };
  for (const call of wanted) {
    const cost = countTokens(call, limits);
    const kept = call.isLive ? 0 : live;
    const turnsBefore = call.isDue ? (call.isLive ? 0 : turns.live) : getTurnsEnd(turns, call.isLive);
    if (turnsBefore > now || room.requests - kept < 1 || room.tokens < cost || room.places < 1) break;
    taken.requests++;
    taken.tokens += cost;
    room.requests--;
    room.tokens -= cost;
    room.places--;
  }
  return taken;
}

type Turns = Throttle['turns'];

/** Live calls do not wait for those of batches. */
const getTurnsEnd = ({ live, batch }: Turns, isLive: boolean): number =>
  isLive ? live : Math.max(live, batch);

/** A second of what is sent counts as a whole. */
const cycleMs = countedMs + 1_000;
/** Calls whose runs are suspended may come back that much later than their turn. */
const lateMs = 90_000;
/** What a call uses where nothing is known. */
const tokensOfCall = 1_000;

function computePauseMs(tokens: number, { requestsPerMinute, tokensPerMinute }: CallLimits): number {
  return cycleMs * Math.max(1 / (requestsPerMinute ?? Infinity), tokens / (tokensPerMinute ?? Infinity));
}

/**
 * The turns at the pace of the limits as they are now, and without those of calls that do not come any more: their run was
 * cancelled, or their process killed.
 */
function paceTurns(before: Turns, limits: CallLimits, now: number): Turns {
  const pauseMs = Math.ceil(computePauseMs(tokensOfCall, limits));
  const changed = before.pauseMs === 0 ? 1 : pauseMs / before.pauseMs;
  const paceTurn = (until: number, servedAt: number) => {
    const isAbandoned = now > servedAt + lateMs + 3 * pauseMs;
    return until <= now || isAbandoned ? 0 : Math.ceil(now + (until - now) * changed);
  };
  const live = paceTurn(before.live, before.servedAt.live);
  // Those of batches wait while there are live ones.
  const batch = paceTurn(before.batch, live > 0 ? now : before.servedAt.batch);
  return { ...before, live, batch, pauseMs };
}

/**
 * Gives a call its turn, after those that were given before. They follow each other at the pace of the limits.
 * @param tokens How many it will have used, as far as one can tell.
 */
function addTurn(
  turns: Turns,
  { isLive, tokens }: { isLive: boolean; tokens: number },
  { from, limits }: { from: number; limits: CallLimits },
): { turns: Turns; turn: number } {
  const name = isLive ? 'live' : 'batch';
  const turn = Math.ceil(Math.max(from, getTurnsEnd(turns, isLive)));
  const isFirst = turns[name] === 0;
  const servedAt = isFirst ? { ...turns.servedAt, [name]: turn } : turns.servedAt;
  return { turn, turns: { ...turns, servedAt, [name]: turn + Math.ceil(computePauseMs(tokens, limits)) } };
}

/** @param served The calls that are made now. */
function markServed(
  turns: Turns,
  served: readonly { isLive: boolean; isDue: boolean }[],
  now: number,
): Turns {
  const toServedAt = (isLive: boolean, before: number) =>
    served.some((call) => call.isDue && call.isLive === isLive) ? Math.max(before, now) : before;
  const { live, batch } = turns.servedAt;
  return { ...turns, servedAt: { live: toServedAt(true, live), batch: toServedAt(false, batch) } };
}

const callsPerLease = 15;
/** Processes that each hold a lease leave a part for others. */
const partOfRoom = 4;

/** For later calls of a process. */
interface More {
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
function computeMore(
  asking: { requests: number; tokens: number },
  room: Room,
  { limits: { tokensPerMinute }, taken, recent }: { limits: CallLimits; taken: number; recent: number },
): More {
  if (asking.requests === 0) return nothing;
  const tokensOfCall =
    tokensPerMinute === undefined ? 0 : Math.max(1, Math.ceil(asking.tokens / asking.requests));
  const limitPart = (...parts: number[]) =>
    Math.max(0, Math.floor(Math.min(...parts.map((part) => part / partOfRoom))));
  const wanted = Math.max(callsPerLease - taken, recent);
  const requests = Math.min(
    wanted,
    limitPart(room.requests, tokensOfCall > 0 ? room.tokens / tokensOfCall : Infinity),
  );
  return { requests, tokens: requests * tokensOfCall, places: Math.min(requests, limitPart(room.places)) };
}

const nothing: More = { requests: 0, tokens: 0, places: 0 };

/** Whether little is left, so that what a process has and does not need is worth a write. */
const isNear = (room: Room, { requestsPerMinute, tokensPerMinute, maxConcurrent }: CallLimits): boolean =>
  (requestsPerMinute !== undefined && room.requests < requestsPerMinute / 2) ||
  (tokensPerMinute !== undefined && room.tokens < tokensPerMinute / 2) ||
  (maxConcurrent !== undefined && room.places < maxConcurrent / 2);
