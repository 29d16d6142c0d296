/**
 * Leases: one process at a time has an item, until a time that it extends while it works.
 *
 * A lease is two or three attributes of the item: its holder, its end, and perhaps when it was acquired. A process acquires it
 * by a write with the condition that nobody has it or that its time is over, extends it, and gives every other write until
 * its release the condition `isHolder`; so a process that lost its lease changes nothing more. After a crash the lease ends by
 * itself, or at once where this process knows that it is alone (`since`). Nothing is sent here: stores combine these changes
 * and conditions with their own. `core/concurrency/renewal.ts` repeats the extension. Fencing by revisions or by the number of a
 * delivery is not a lease.
 */

import { getAloneSince } from '../../core/earlier-process.ts';
import { type AnyEntity, type StoredOf, toAttributePath } from './entity.ts';
import type { WriteCondition } from './writes.ts';

/** The attributes of a lease. Without `holder`, the end names who has it: no two processes write the same one. */
interface LeaseAttributes<Holder, Until, Since> {
  holder?: Holder;
  until: Until;
  since?: Since;
  /** How times are stored: Unix ms, or ISO 8601. */
  format: 'ms' | 'iso';
  leaseMs: number;
}

type Field<E extends AnyEntity> = keyof StoredOf<E> & string;

export function leaseOn<
  E extends AnyEntity,
  Until extends Field<E>,
  Holder extends Field<E> = never,
  Since extends Field<E> = never,
>(entity: E, { holder, until, since, format, leaseMs }: LeaseAttributes<Holder, Until, Since>) {
  const path = (field: string) => toAttributePath(entity, field);
  const toStored = (ms: number) => (format === 'ms' ? ms : new Date(ms).toISOString());
  const toEnd = (now: Date) =>
    ({ [until]: toStored(now.getTime() + leaseMs) }) as Required<Pick<StoredOf<E>, Until>>;
  const toMembers = (now: Date, own?: string) =>
    ({
      ...(holder && { [holder]: own }),
      ...(since && { [since]: toStored(now.getTime()) }),
      ...toEnd(now),
    }) as Required<Pick<StoredOf<E>, Holder | Until | Since>>;

  /** A request that is repeated finds what the first one wrote: `own` has the lease already. */
  function isFree(now: Date, own?: string): WriteCondition {
    const alternatives = [
      `attribute_not_exists(${path(until)})`,
      `${path(until)} <= :at`,
      ...(since ? [`${path(since)} < :alone`] : []),
      ...(holder && own ? [`${path(holder)} = :own`] : []),
    ];
    const values = {
      at: toStored(now.getTime()),
      ...(since && { alone: toStored(getAloneSince()) }),
      ...(holder && own && { own }),
    };
    return { expression: alternatives.join(' OR '), values };
  }

  const isHolder = (own: string): WriteCondition => ({
    expression: `${path(holder ?? until)} = :own`,
    values: { own },
  });

  return {
    isFree,
    isHolder,
    /** What an item has once it is acquired. */
    toMembers,
    acquire: (now: Date, own?: string) => ({ set: toMembers(now, own), condition: isFree(now, own) }),
    extend: (now: Date, own: string) => ({ set: toEnd(now), condition: isHolder(own) }),
    /** Whether a process has an item that was read. */
    isHeld(item: object, now: Date): boolean {
      const times = item as Readonly<Record<string, unknown>>;
      return toMs(times[until]) > now.getTime() && (!since || toMs(times[since]) >= getAloneSince());
    },
  };
}

const toMs = (time: unknown): number => (typeof time === 'string' ? Date.parse(time) : Number(time ?? 0));
