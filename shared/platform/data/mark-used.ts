import { onConditionFailed } from './condition-failed.ts';
import type { AnyEntity, ItemOf, KeyOf } from './entity.ts';
import type { Scope } from './scope.ts';
import { type Changes, exists } from './writes.ts';

const everyMs = 60_000;

type UseField<E extends AnyEntity> = {
  [Field in keyof ItemOf<E>]: ItemOf<E>[Field] extends string | null ? Field : never;
}[keyof ItemOf<E>];

/**
 * Records the time of a use in an item that was read, at most once a minute, to limit the writes. A concurrent change is
 * retried, so neither is lost. Nothing for an item that was just deleted.
 */
export async function markUsed<E extends AnyEntity, Field extends UseField<E>>(
  { table, now }: Pick<Scope, 'table' | 'now'>,
  entity: E,
  item: KeyOf<E> & { readonly [Name in Field]: string | null },
  field: Field,
): Promise<void> {
  const at = now();
  const last = item[field];
  if (last && at.getTime() - Date.parse(last) < everyMs) return;
  const changes = { set: { [field]: at.toISOString() }, add: { revision: 1 } } as unknown as Changes<E>;
  await table
    .commit([table.writes.update(entity, item, changes, exists)])
    .catch(onConditionFailed(undefined));
}
