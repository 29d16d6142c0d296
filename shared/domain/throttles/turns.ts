import type { CallLimits } from '../../adapters/models/call-limits.ts';
import type { Throttle } from './throttle.ts';
import { countedMs } from './window.ts';

type Turns = Throttle['turns'];

/** Live calls do not wait for those of batches. */
export const turnsUntil = ({ live, batch }: Turns, isLive: boolean): number =>
  isLive ? live : Math.max(live, batch);

/** A second of what is sent counts as a whole. */
const cycleMs = countedMs + 1_000;

/**
 * Gives a call its turn, after those that were given before. They follow each other at the pace of the limits.
 * @param tokens How many it will have used, as far as one can tell.
 */
export function withTurn(
  turns: Turns,
  { isLive, tokens }: { isLive: boolean; tokens: number },
  { from, limits }: { from: number; limits: CallLimits },
): { turns: Turns; turn: number } {
  const { requestsPerMinute = Infinity, tokensPerMinute = Infinity } = limits;
  const turn = Math.ceil(Math.max(from, turnsUntil(turns, isLive)));
  const pauseMs = cycleMs * Math.max(1 / requestsPerMinute, tokens / tokensPerMinute);
  const after = turn + Math.ceil(pauseMs);
  return { turn, turns: isLive ? { ...turns, live: after } : { ...turns, batch: after } };
}
