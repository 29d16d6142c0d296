import { createBoundedMap } from '../../core/cache.ts';
import { flowEntity } from '../../domain/flows/flow.ts';
import type { ExposedItem } from '../../domain/surfaces/exposed-item.ts';
import { readAhead } from '../../platform/data/read-ahead.ts';
import type { Scope } from '../../platform/data/scope.ts';

/** The flow that each item ran last: it is read together with the surface, because it probably runs again. */
const lastFlows = createBoundedMap<string>({ entriesMax: 5_000 });

/** @param name What callers name the item by: its slug, or the name of its tool. */
const toKey = (surfaceId: string, name: string) => `${surfaceId} ${name}`;

/** A scope that reads the flow that an item ran last together with its surface. */
export function readLastFlowAhead(scope: Scope, surfaceId: string, name: string): Scope {
  const id = lastFlows.get(toKey(surfaceId, name));
  return id === undefined ? scope : readAhead(scope, flowEntity, { id });
}

export function rememberFlow({ surface, capability }: ExposedItem, name: string): void {
  if (capability.flowId) lastFlows.set(toKey(surface.id, name), capability.flowId);
}
