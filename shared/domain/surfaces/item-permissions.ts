import { forbidden, missingPermission, ServiceError } from '../../core/errors/errors.ts';
import { covers } from '../../platform/identity/permissions.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import type { ExposedItem } from './exposed-item.ts';
import type { Surface } from './surface/surface.ts';

/** Who calls a surface. Senders of signed requests have no principal. */
type Caller = Pick<Principal, 'environment'> & Partial<Principal>;

/** @throws 403 for a key of another surface or product. */
export function assertBelongs({ id, productId }: Surface, caller: Caller): void {
  if (caller.kind === 'surface' && caller.surfaceId !== id) {
    throw forbidden('The key belongs to another surface');
  }
  if (caller.productId !== undefined && caller.productId !== productId) {
    throw forbidden('The key belongs to another product');
  }
}

/** @throws 403 if the surface does not respond to the caller. */
export function assertOpen(surface: Surface, caller: Caller): void {
  assertBelongs(surface, caller);
  if (surface.status === 'paused') throw forbidden('The surface is paused; set its status to active');
  if (surface.status === 'draft' && caller.environment !== 'test') {
    throw forbidden('The surface is a draft, which responds to test keys only; set its status to active');
  }
}

/** The items that the caller may run. @throws 403 if there are items, but none for this caller. */
export function runnableItems(items: readonly ExposedItem[], principal: Principal): ExposedItem[] {
  const allowed = items.filter((each) => mayRun(each, principal));
  if (items.length > 0 && allowed.length === 0) throw missingPermission('PRODUCTS:EXECUTE');
  return allowed;
}

export function mayRun(exposed: ExposedItem, principal: Principal): boolean {
  try {
    assertMayRun(exposed, principal);
    return true;
  } catch (error) {
    if (error instanceof ServiceError) return false;
    throw error;
  }
}

/** @throws 403 if the caller may not run the item. */
export function assertMayRun({ item, capability }: ExposedItem, principal: Principal): void {
  const { kind, permissions } = principal;
  if (kind === 'surface') {
    const isInScope = permissions.length === 0 || permissions.includes(item.endpointSlug ?? '');
    if (!isInScope) throw forbidden('The key cannot call this endpoint: its scopes name others');
    return;
  }
  const required = capability.flowId ? 'FLOWS:EXECUTE' : 'AGENTS:EXECUTE';
  if (![required, 'PRODUCTS:EXECUTE'].some((needed) => covers(permissions, needed))) {
    throw missingPermission('PRODUCTS:EXECUTE');
  }
}
