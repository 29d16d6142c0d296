import type { Scope } from '../../platform/data/scope.ts';
import { findTaskEndNotification } from '../a2a-tasks/task-notice.ts';
import {
  combineNotifications,
  createWebhookNotification,
  type EndNotification,
  type ExecutionEnd,
} from '../deliveries/end-notice.ts';
import type { RunSurface } from '../surfaces/surface/run-surface.ts';

/** Tells the webhook of a surface, and who follows the task of a run, that the run has ended. */
export async function createRunNotification(
  scope: Pick<Scope, 'table' | 'now' | 'newId'>,
  surface: RunSurface | undefined,
  end: ExecutionEnd,
): Promise<EndNotification> {
  const toWebhook = createWebhookNotification(scope, surface, end);
  if (surface?.taskId === undefined) return toWebhook;
  const toCaller = await findTaskEndNotification(scope, { surfaceId: surface.surfaceId, id: surface.taskId });
  return combineNotifications(toWebhook, toCaller);
}
