import type { CallLimits } from '../../adapters/models/call-limits.ts';
import type { Throttle } from './throttle.ts';
import { countedMs } from './window.ts';

type Turns = Throttle['turns'];

/** Live calls do not wait for those of batches. */
export const turnsUntil = ({ live, batch }: Turns, isLive: boolean): number =>
  isLive ? live : Math.max(live, batch);

/** A second of what is sent counts as a whole. */
const cycleMs = countedMs + 1_000;
/** Calls whose runs are suspended may come back that much later than their turn. */
const lateMs = 90_000;
/** What a call uses where nothing is known. */
const tokensOfCall = 1_000;

function pauseAfter(tokens: number, { requestsPerMinute, tokensPerMinute }: CallLimits): number {
  return cycleMs * Math.max(1 / (requestsPerMinute ?? Infinity), tokens / (tokensPerMinute ?? Infinity));
}

/**
 * The turns at the pace of the limits as they are now, and without those of calls that do not come any more: their run was
 * cancelled, or their process killed.
 */
export function paceTurns(before: Turns, limits: CallLimits, now: number): Turns {
  const pauseMs = Math.ceil(pauseAfter(tokensOfCall, limits));
  const changed = before.pauseMs === 0 ? 1 : pauseMs / before.pauseMs;
  const paced = (until: number, servedAt: number) => {
    const isAbandoned = now > servedAt + lateMs + 3 * pauseMs;
    return until <= now || isAbandoned ? 0 : Math.ceil(now + (until - now) * changed);
  };
  const live = paced(before.live, before.servedAt.live);
  // Those of batches wait while there are live ones.
  const batch = paced(before.batch, live > 0 ? now : before.servedAt.batch);
  return { ...before, live, batch, pauseMs };
}

/**
 * Gives a call its turn, after those that were given before. They follow each other at the pace of the limits.
 * @param tokens How many it will have used, as far as one can tell.
 */
export function withTurn(
  turns: Turns,
  { isLive, tokens }: { isLive: boolean; tokens: number },
  { from, limits }: { from: number; limits: CallLimits },
): { turns: Turns; turn: number } {
  const name = isLive ? 'live' : 'batch';
  const turn = Math.ceil(Math.max(from, turnsUntil(turns, isLive)));
  const isFirst = turns[name] === 0;
  const servedAt = isFirst ? { ...turns.servedAt, [name]: turn } : turns.servedAt;
  return { turn, turns: { ...turns, servedAt, [name]: turn + Math.ceil(pauseAfter(tokens, limits)) } };
}

/** @param served The calls that are made now. */
export function withServed(
  turns: Turns,
  served: readonly { isLive: boolean; isDue: boolean }[],
  now: number,
): Turns {
  const at = (isLive: boolean, before: number) =>
    served.some((call) => call.isDue && call.isLive === isLive) ? Math.max(before, now) : before;
  const { live, batch } = turns.servedAt;
  return { ...turns, servedAt: { live: at(true, live), batch: at(false, batch) } };
}
