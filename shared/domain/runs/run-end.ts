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

interface EndOptions extends Pick<EndedRun, 'delaySeconds' | 'keepContent'> {
  /** False for a run whose process will end it once more. */
  isTold?: boolean;
  /** What its caller gets last, if the end of the run is that of the request: the request's place is released with it. */
  lastAnswer?: unknown;
}

/** A longer one may wait in memory for a client that reads slowly, and keeps the place meanwhile. */
const shortAnswerMax = 16_000;

const isShort = (answer: unknown) =>
  typeof answer === 'string'
    ? answer.length <= shortAnswerMax
    : (JSON.stringify(answer) ?? '').length <= shortAnswerMax;

/** What follows from the end of a run: its place in the list, its numbers, and whoever is told. */
export const runEnd = /* @__PURE__ */ using(
  ['table:write', createExportNotification],
  async (
    scope: Pick<Scope, 'table' | 'now' | 'newId' | 'releasePlace'>,
    run: NewRun,
    ending: RunEnding,
    { isTold = true, lastAnswer, ...exporting }: EndOptions = {},
  ): Promise<EndNotification> => {
    const [exported] = await Promise.all([
      run.parentRunId || !isTold
        ? noNotification
        : createExportNotification(scope, { runId: run.id, kind: run.kind, ...exporting }),
      hourMarks(scope)(ending.at),
    ]);
    const endsRequest = scope.releasePlace && isTold && !run.parentRunId && lastAnswer !== undefined;
    const place = endsRequest && isShort(lastAnswer) ? scope.releasePlace?.() : undefined;
    return {
      writes: [createEndWrite(scope, run, ending), ...exported.writes, ...(place ? [place.write] : [])],
      async send() {
        place?.done();
        await exported.send();
      },
    };
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
