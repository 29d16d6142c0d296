import type { Scope } from '../../platform/data/scope.ts';
import { findTaskEndNotification } from '../a2a-tasks/task-notice.ts';
import {
  combineNotifications,
  type EndNotification,
  type ExecutionEnd,
  endNotice,
} from '../deliveries/end-notice.ts';
import type { RunSurface } from '../surfaces/surface/run-surface.ts';

/** Tells the webhook of a surface, and who follows the task of a run, that the run has ended. */
export async function runNotice(
  scope: Pick<Scope, 'table' | 'now' | 'newId'>,
  surface: RunSurface | undefined,
  end: ExecutionEnd,
): Promise<EndNotification> {
  const toWebhook = endNotice(scope, surface, end);
  if (surface?.taskId === undefined) return toWebhook;
  const toCaller = await findTaskEndNotification(scope, { surfaceId: surface.surfaceId, id: surface.taskId });
  return combineNotifications(toWebhook, toCaller);
}
