import { type ErrorDetail, invalidAt, notFound } from '../../core/errors/errors.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { flowEntity } from '../flows/flow.ts';
import { recordStore } from '../records/record-store.ts';
import { surfaceEntity } from '../surfaces/surface/surface.ts';

const missingListedMax = 10;

export interface SchedulePlace {
  productId: string;
  surfaceId: string;
}

interface Targets {
  flowId?: string | undefined;
  recordIds?: readonly string[] | null | undefined;
}

/** @throws 404; 400 if the surface is of another type. */
export async function assertTakesSchedules(
  { table }: Scope,
  { productId, surfaceId }: SchedulePlace,
): Promise<void> {
  const surface = await table.find(surfaceEntity, { productId, id: surfaceId });
  if (surface.type === 'schedule') return;
  const message = `The surface has the type ${surface.type}. Create schedules on a surface of the type schedule`;
  throw invalidAt('surfaceId', 'INVALID_VALUE', message);
}

/** @throws 404 if the flow or one of the records does not exist. */
export async function assertScheduleTargets(scope: Scope, { flowId, recordIds }: Targets): Promise<void> {
  const [flow, missing] = await Promise.all([
    flowId ? scope.table.get(flowEntity, { id: flowId }) : true,
    recordIds ? recordStore(scope).findMissing(recordIds) : [],
  ]);
  if (!flow) throw notFound('Flow');
  if (missing.length === 0) return;
  const detail = (id: string): ErrorDetail => ({
    path: `recordIds.${recordIds?.indexOf(id)}`,
    code: 'NOT_FOUND',
    message: `Record ${id} does not exist`,
  });
  throw notFound('Record', missing.slice(0, missingListedMax).map(detail));
}
