import type { CallLimits } from '../../adapters/models/call-limits.ts';
import type { ThrottleDecision } from '../../domain/throttles/decide.ts';
import type { SentInSecond, ThrottleLease } from '../../domain/throttles/throttle.ts';

/** A call that counts. */
export interface BegunCall {
  /** @param used How many tokens, if they are known. */
  end: (used?: number) => void;
  cancel: () => void;
  /** It is sent now, and counts from now on. */
  recount: (now: number) => void;
}

/**
 * What a process may still send, and what it has sent that the item does not know. A place that gets free is used again
 * without asking, as long as the lease lasts: the item counts it as taken anyway.
 */
export function openHeldLease() {
  let lease: ThrottleLease | undefined;
  /** How many calls at a time it may have by itself, which is less than its places while other processes have too few. */
  let allowed = 0;
  /** How many calls were granted and have not begun. */
  let granted = 0;
  let unwritten: SentInSecond[] = [];
  const hasPlace = ({ places }: ThrottleLease) =>
    held.inFlight < places && (granted > 0 || held.inFlight < allowed);
  const held = {
    inFlight: 0,

    /**
     * The item is about to be written: until its answer nothing is sent that it has to count, and no more at a time than it
     * is told. @returns what it does not know yet
     */
    leave(): SentInSecond[] {
      const pending = unwritten;
      unwritten = [];
      allowed = Math.min(allowed, held.inFlight);
      granted = 0;
      lease = lease && { ...lease, requests: 0, tokens: 0 };
      return pending;
    },
    take(next: Pick<ThrottleDecision, 'lease' | 'granted' | 'allowedPlaces'>): void {
      lease = { ...next.lease };
      allowed = next.allowedPlaces;
      granted = next.granted;
    },
    /** The item was not written. @param untold What it still does not know. */
    keep(
      untold: readonly SentInSecond[],
      { until, allowedPlaces }: { until: number; allowedPlaces: number },
    ): void {
      unwritten = [...untold, ...unwritten];
      if (!lease) return;
      lease.until = Math.min(until, lease.heldUntil);
      allowed = Math.min(allowed, allowedPlaces);
    },
    /** Whether the item is to be told: of places that are still used, and near the limit of what is not needed. */
    owes(now: number, isNear: boolean): boolean {
      if (!lease) return isNear && unwritten.some(isCorrection);
      const hasPlaces = lease.places > 0 && lease.heldUntil > now;
      if (hasPlaces && (held.inFlight === 0 || lease.heldUntil - now < renewedBeforeMs)) return true;
      const isUnused = lease.requests > 0 || (hasPlaces && lease.places > held.inFlight);
      return isNear && (isUnused || unwritten.some(isCorrection));
    },

    /** @returns undefined if the call does not fit */
    begin(tokens: number, now: number, limits: CallLimits): BegunCall | undefined {
      const own = lease;
      if (!own || own.until <= now) return undefined;
      if (isRated(limits) && (own.requests < 1 || own.tokens < tokens)) return undefined;
      if (limits.maxConcurrent !== undefined && !hasPlace(own)) return undefined;
      granted--;
      own.requests--;
      own.tokens -= tokens;
      held.inFlight++;
      let second = Math.floor(now / 1_000);
      unwritten.push({ second, requests: 1, tokens });
      const correct = (requests: number, change: number) => {
        held.inFlight--;
        if (requests === 0 && change === 0) return;
        unwritten.push({ second, requests, tokens: change });
        // The item still counts the lease as a whole.
        if (lease === own) own.tokens -= change;
        if (lease === own) own.requests -= requests;
      };
      return {
        end: (used) => correct(0, (used ?? tokens) - tokens),
        cancel: () => correct(-1, -tokens),
        recount(at) {
          unwritten.push({ second, requests: -1, tokens: -tokens });
          second = Math.floor(at / 1_000);
          unwritten.push({ second, requests: 1, tokens });
        },
      };
    },
  };
  return held;
}

/** Whether it counts when a call is sent. */
export const isRated = ({ requestsPerMinute, tokensPerMinute }: CallLimits): boolean =>
  requestsPerMinute !== undefined || tokensPerMinute !== undefined;

const renewedBeforeMs = 20_000;
const isCorrection = ({ requests }: SentInSecond) => requests <= 0;
