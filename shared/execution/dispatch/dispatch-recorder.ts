import { unixSeconds } from '../../core/time/unix-seconds.ts';
import { startedIn } from '../../core/tracing/active-span.ts';
import { bothNotices } from '../../domain/deliveries/end-notice.ts';
import { listedSeconds } from '../../domain/listed-seconds.ts';
import { runNotice } from '../../domain/runs/run-notice.ts';
import { originOfSurface, type RunOrigin } from '../../domain/runs/run-origin.ts';
import type { RunSurface } from '../../domain/surfaces/surface/run-surface.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import type { Checkpoint } from '../runs/checkpoints/checkpoint.ts';
import { openRunRecorder, type RunRecorder } from '../runs/checkpoints/run-recorder.ts';
import { sealedValues } from '../runs/checkpoints/sealed-values.ts';
import { spendingWrites } from '../runs/checkpoints/spending.ts';
import { closeExecution, type Execution, endPausedExecution, executionEntity } from '../runs/execution.ts';
import { endUnlessCancelled, flowEndStatus } from './end-unless-cancelled.ts';
import type { PreparedRun } from './prepare.ts';
import { recordWhenSuspended } from './unkept-recorder.ts';

/** How long a suspended run is kept if neither its flow nor its record is stored: 30 days after the longest wait. */
const suspendedRunTtlSeconds = 60 * 86_400;
export const suspendedRunExpiresAt = ({ now }: Scope) => unixSeconds(now()) + suspendedRunTtlSeconds;

/** The longest lifetime of a dispatched run's process, plus one minute. */
export const leaseMs = 16 * 60_000;

interface NewExecution {
  surface?: RunSurface | undefined;
  origin?: RunOrigin | undefined;
  executionId?: string | undefined;
}

export function newFlowExecution(
  { newId, now }: Scope,
  { flow, version, record, persistResults }: PreparedRun,
  { surface, origin, executionId }: NewExecution = {},
): Execution {
  const startedAt = now();
  return {
    id: executionId ?? newId('exec'),
    kind: 'dispatch',
    flowId: flow.id,
    flowName: flow.name,
    recordId: record?.id ?? null,
    startedAt: startedAt.toISOString(),
    leaseUntil: new Date(startedAt.getTime() + leaseMs).toISOString(),
    ...(surface && { surface }),
    origin: origin ?? (surface ? originOfSurface(surface) : { trigger: { type: 'api' } }),
    flowVersionId: version.id,
    ...(!persistResults && { listedUntil: unixSeconds(startedAt) + listedSeconds }),
    ...startedIn(),
  };
}

/** Whether an execution is stored before its run begins, so that the sweeper tells a webhook if the process crashes. */
export const isStoredFirst = ({ surface }: Execution) => surface?.notifies !== undefined;

interface RecorderOptions {
  input: unknown;
  earlier?: readonly Checkpoint[] | undefined;
  isCancelled: () => boolean;
  /** When the run is in the list, in which its end follows. */
  listed: Promise<void>;
}

/** If results are not to be stored, records them only when the run suspends. */
export function openDispatchRecorder(
  scope: Scope,
  { flow, version, record, persistResults }: PreparedRun,
  { userId, organizationId }: Pick<Principal, 'userId' | 'organizationId'>,
  execution: Execution,
  { input, earlier = [], isCancelled, listed: isListed }: RecorderOptions,
): RunRecorder {
  const { id: runId } = execution;
  const facts = {
    userId,
    organizationId,
    runId,
    batchId: null,
    flowId: flow.id,
    flowVersionId: version.id,
    ...(version.subFlows && { subFlows: version.subFlows }),
    recordId: record?.id ?? null,
    recordName: record?.name ?? null,
    recordMetadata: record?.metadata ?? {},
    flowName: flow.name,
    input,
    ...(execution.startedIn !== undefined && { startedIn: execution.startedIn }),
  };
  const { table } = scope;
  const opening = table.writes.insert(executionEntity, execution);
  const isStored = isStoredFirst(execution);
  const open = (more: { ttl?: number } = {}) =>
    openRunRecorder(
      scope,
      { ...facts, ...more },
      async ({ write, isFirst, spent, failed, output, error, at, totals }) => {
        const hasPaused = earlier.length > 0;
        const end = hasPaused ? endPausedExecution(scope, runId) : closeExecution(table, runId);
        const close = isFirst && !isStored ? [] : [end];
        await isListed;
        const ending = { status: flowEndStatus(failed, isCancelled), at, error, totals };
        await endUnlessCancelled(scope, execution, ending, async ({ listed, ...ended }) => {
          const about = { executionId: runId, output, ...ended };
          const notices = bothNotices(await runNotice(scope, execution.surface, about), listed);
          await table.commit([write, ...close, ...spendingWrites(scope, [spent]), ...notices.writes]);
          await notices.send();
        });
      },
      { ...(!isStored && { opening }), earlier, sealed: sealedValues(scope) },
    );
  if (persistResults) return open();
  const openExpiring = () => open({ ttl: suspendedRunExpiresAt(scope) });
  return earlier.length > 0
    ? openExpiring()
    : recordWhenSuspended(scope, { execution, isCancelled, listed: isListed, open: openExpiring });
}
