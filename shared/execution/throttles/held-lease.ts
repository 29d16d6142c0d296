import type { SentInSecond } from '../../domain/throttles/sent.ts';
import type { ThrottleLease } from '../../domain/throttles/throttle.ts';

/** What a process may still send, and what it has sent that the item does not know. */
export function openHeldLease() {
  let lease: ThrottleLease | undefined;
  let unwritten: SentInSecond[] = [];
  const held = {
    inFlight: 0,

    /** The item is about to be written: until its answer nothing is sent. @returns what it does not know yet */
    leave(): SentInSecond[] {
      const pending = unwritten;
      unwritten = [];
      lease = undefined;
      return pending;
    },
    /** @param untold What could not be written. */
    take(next: ThrottleLease | undefined, untold: readonly SentInSecond[] = []): void {
      lease = next && { ...next };
      unwritten = [...untold, ...unwritten];
    },
    /** Whether the item is to be told: of places that are still used, and near the limit of what is not needed. */
    owes(now: number, isNear: boolean): boolean {
      if (!lease) return isNear && unwritten.some(isCorrection);
      const hasPlaces = lease.places > 0 && lease.heldUntil > now;
      if (hasPlaces && (held.inFlight === 0 || lease.heldUntil - now < renewedBeforeMs)) return true;
      const isUnused = lease.requests > 0 || (hasPlaces && lease.places > held.inFlight);
      return isNear && (isUnused || unwritten.some(isCorrection));
    },

    /** @returns what to call with the tokens that were used, or undefined if the call does not fit */
    begin(tokens: number, now: number, arePlacesLimited: boolean) {
      const own = lease;
      if (!own || own.until <= now || own.requests < 1 || own.tokens < tokens) return undefined;
      if (arePlacesLimited && held.inFlight >= own.places) return undefined;
      own.requests--;
      own.tokens -= tokens;
      held.inFlight++;
      const second = Math.floor(now / 1_000);
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
        end: (used: number | undefined) => correct(0, (used ?? tokens) - tokens),
        cancel: () => correct(-1, -tokens),
      };
    },
  };
  return held;
}

const renewedBeforeMs = 20_000;
const isCorrection = ({ requests }: SentInSecond) => requests <= 0;
