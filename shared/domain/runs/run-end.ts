import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { findTaskEndNotification } from '../a2a-tasks/task-notice.ts';
import {
  combineNotifications,
  createWebhookNotification,
  type EndNotification,
  type ExecutionEnd,
  noNotification,
} from '../deliveries/end-webhook.ts';
import type { RunSurface } from '../surfaces/surface/run-surface.ts';
import { createExportNotification, type EndedRun } from '../telemetry/telemetry-notice.ts';
import { hourMarks } from './hour-marks.ts';
import { createEndWrite, type NewRun, type RunEnding } from './run-list.ts';

/**
 * What follows from the end of a run: its place in the list, its numbers, and whoever is told.
 * @param isTold False for a run whose process will end it once more.
 */
export const runEnd = /* @__PURE__ */ using(
  ['table:write', createExportNotification],
  async (
    scope: Pick<Scope, 'table' | 'now' | 'newId'>,
    run: NewRun,
    ending: RunEnding,
    {
      isTold = true,
      ...exporting
    }: { isTold?: boolean } & Pick<EndedRun, 'delaySeconds' | 'keepContent'> = {},
  ): Promise<EndNotification> => {
    const [exported] = await Promise.all([
      run.parentRunId || !isTold
        ? noNotification
        : createExportNotification(scope, { runId: run.id, kind: run.kind, ...exporting }),
      hourMarks(scope)(ending.at),
    ]);
    return { ...exported, writes: [createEndWrite(scope, run, ending), ...exported.writes] };
  },
);

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
