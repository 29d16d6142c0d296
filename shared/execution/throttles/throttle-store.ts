import { setTimeout as sleep } from 'node:timers/promises';
import type { CallLimits } from '../../adapters/models/call-limits.ts';
import { type Ask, decide, type ThrottleDecision } from '../../domain/throttles/decide.ts';
import { packSent, type Throttle, throttleEntity, unusedThrottle } from '../../domain/throttles/throttle.ts';
import { ConditionFailed } from '../../platform/data/condition-failed.ts';
import { decode } from '../../platform/data/entity.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { absent, type WriteCondition } from '../../platform/data/writes.ts';

const attemptsMax = 40;
/** At first what the refused write has returned is the newest: a pause would only make it older. */
const hurriedAttempts = 4;
const pauseMs = 10;
/** Older than that, it is read: another process may have written, and a write that is refused costs five times as much. */
const newMs = 50;

/** Decides what a process may send in one conditional write, based on the item as it was seen last. */
export function throttleStore(id: string) {
  let seen: Throttle | undefined;
  let seenAt = 0;

  const read = async ({ table }: Pick<Scope, 'table'>): Promise<Throttle> =>
    (await table.get(throttleEntity, { id }, { consistent: true })) ?? unusedThrottle(id);

  return {
    async ask(
      { table }: Pick<Scope, 'table'>,
      ask: Ask,
      limits: CallLimits,
      now: () => number,
    ): Promise<ThrottleDecision> {
      if (now() - seenAt > newMs) seen = undefined;
      for (let attempt = 0, isFresh = false; attempt < attemptsMax; attempt++) {
        if (attempt >= hurriedAttempts) {
          await sleep(Math.random() * pauseMs * attempt);
          seen = undefined;
        }
        if (!seen) {
          seen = await read({ table });
          isFresh = true;
        }
        const decision = decide(seen, ask, limits, now());
        if (!decision.isNews && isFresh) return decision;
        if (decision.granted < ask.wanted.length && !isFresh) {
          // Others may have given something back.
          seen = undefined;
          continue;
        }
        const { put } = table.writes;
        const item = { ...decision.throttle, sent: packSent(decision.throttle.sent) };
        const { Put } = put(throttleEntity, item, unchangedSince(seen));
        try {
          await table.commit([{ Put: { ...Put, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } }]);
          seen = decision.throttle;
          seenAt = now();
          return decision;
        } catch (error) {
          seen = undefined;
          if (!(error instanceof ConditionFailed)) throw error;
          seen = error.item && decode(throttleEntity, error.item);
          isFresh = seen !== undefined;
        }
      }
      // Too many processes change it at the same time: its calls go on waiting.
      const decision = decide(seen ?? unusedThrottle(id), { ...ask, wanted: [] }, limits, now());
      return { ...decision, askAt: now() + pauseMs * attemptsMax * (1 + Math.random()), isNews: false };
    },
  };
}

const unchangedSince = ({ version }: Throttle): WriteCondition =>
  version === 0 ? absent : { expression: '#version = :seen', values: { seen: version } };
