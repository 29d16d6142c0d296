import { unixSeconds } from '../../core/unix-seconds.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import type { StepResult } from '../engine/engine.ts';
import { costWrites } from '../runs/checkpoints/record-costs.ts';
import { openRunRecorder, type RunRecorder } from '../runs/checkpoints/run-recorder.ts';
import { closeExecution, type Execution, executionEntity } from '../runs/execution.ts';
import type { Prepared } from './prepare.ts';

/** How long a suspended run is kept if neither its flow nor its record is stored: 30 days after the longest wait. */
const suspendedRunTtlSeconds = 60 * 86_400;
export const suspendedRunExpiresAt = ({ now }: Scope) => unixSeconds(now()) + suspendedRunTtlSeconds;

/** The longest lifetime of a dispatched run's process, plus one minute. */
const leaseMs = 16 * 60_000;

/** Creates the execution of a dispatch that starts now. */
export function newExecution({ newId, now }: Scope, { flow, record }: Prepared): Execution {
  const startedAt = now();
  return {
    ...{
      id: newId('exec'),
      kind: 'dispatch',
      flowId: flow.id,
      flowName: flow.name,
      recordId: record?.id ?? null,
    },
    startedAt: startedAt.toISOString(),
    leaseUntil: new Date(startedAt.getTime() + leaseMs).toISOString(),
  };
}

/**
 * Records the results of a dispatched run. If they are not to be stored, it records them only when the run suspends.
 */
export function openDispatchRecorder(
  scope: Scope,
  { flow, version, record, persistResults }: Prepared,
  { userId, organizationId }: Principal,
  execution: Execution,
): RunRecorder {
  const { id: runId } = execution;
  const facts = {
    ...{ userId, organizationId, runId, batchId: null },
    flowId: flow.id,
    flowVersionId: version.id,
    recordId: record?.id ?? null,
    recordName: record?.name ?? null,
    recordMetadata: record?.metadata ?? {},
    flowName: flow.name,
  };
  const { table } = scope;
  const opening = table.writes.insert(executionEntity, execution);
  const open = (more: { ttl?: number } = {}) =>
    openRunRecorder(
      scope,
      { ...facts, ...more },
      ({ write, isFirst, uses }) => {
        const close = isFirst ? [] : [closeExecution(table, runId)];
        return table.commit([write, ...close, ...costWrites(table, uses)]);
      },
      { opening },
    );
  return persistResults ? open() : recordWhenSuspended(() => open({ ttl: suspendedRunExpiresAt(scope) }));
}

function recordWhenSuspended(open: () => RunRecorder): RunRecorder {
  const results: StepResult[] = [];
  return {
    add: async (result) => void results.push(result),
    flush: async () => {},
    finish: async () => {},
    async suspend(wait) {
      const log = open();
      for (const result of results) await log.add(result);
      await log.suspend(wait);
    },
  };
}
