import { missingPermission } from '../../core/errors/errors.ts';
import type { ExposedItem } from '../../domain/surfaces/exposed-item.ts';
import { mayRun } from '../../domain/surfaces/item-permissions.ts';
import type { Surface } from '../../domain/surfaces/surface/surface.ts';
import { listOfferedRecordTypes } from '../../domain/surfaces/surface/surface-behavior.ts';
import { covers } from '../../platform/identity/permissions.ts';
import type { Principal } from '../../platform/identity/principal.ts';

export interface McpOffer {
  items: ExposedItem[];
  /** The types of the records that the caller can read. */
  recordTypes: string[];
}

/** @throws 403 if the surface offers something, but nothing to this caller. */
export function selectOffer(
  surface: Surface,
  exposed: readonly ExposedItem[],
  principal: Principal,
): McpOffer {
  const items = exposed.filter((item) => mayRun(item, principal));
  const opened = listOfferedRecordTypes(surface);
  const recordTypes = mayRead(principal) ? opened : [];
  const isNothing = items.length + recordTypes.length === 0;
  if (isNothing && exposed.length + opened.length > 0) throw missingPermission('PRODUCTS:EXECUTE');
  return { items, recordTypes };
}

/** The scopes of a surface's key name its items: a key with scopes gets nothing else. */
const mayRead = ({ kind, permissions }: Principal): boolean =>
  kind === 'surface' ? permissions.length === 0 : covers(permissions, 'RECORDS:READ');
