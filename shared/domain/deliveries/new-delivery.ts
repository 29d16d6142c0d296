import { unixSeconds } from '../../core/time.ts';
import type { StoredOf } from '../../platform/data/entity.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { deliveryDays, type deliveryEntity } from './delivery.ts';

export type NewDelivery = StoredOf<typeof deliveryEntity>;
type Given = Pick<NewDelivery, 'productId' | 'surfaceId' | 'executionId' | 'type' | 'body'> &
  Partial<NewDelivery>;

/** A delivery that nobody has attempted yet. */
export function prepareDelivery({ newId }: Pick<Scope, 'newId'>, at: Date, input: Given): NewDelivery {
  const createdAt = at.toISOString();
  return {
    id: newId('delivery'),
    status: 'pending',
    attempts: '[]',
    tries: 0,
    nextAttemptAt: createdAt,
    createdAt,
    ttl: unixSeconds(at) + deliveryDays * 86_400,
    ...input,
  };
}
