import type { Scope } from '../../platform/data/scope.ts';
import { taskEndNotice } from '../a2a-tasks/task-notice.ts';
import { bothNotices, type EndNotice, type ExecutionEnd, endNotice } from '../deliveries/end-notice.ts';
import type { RunSurface } from '../surfaces/surface/run-surface.ts';

/** Tells the webhook of a surface, and who follows the task of a run, that the run has ended. */
export async function runNotice(
  scope: Pick<Scope, 'table' | 'now' | 'newId'>,
  surface: RunSurface | undefined,
  end: ExecutionEnd,
): Promise<EndNotice> {
  const toWebhook = endNotice(scope, surface, end);
  if (surface?.taskId === undefined) return toWebhook;
  const toCaller = await taskEndNotice(scope, { surfaceId: surface.surfaceId, id: surface.taskId });
  return bothNotices(toWebhook, toCaller);
}
