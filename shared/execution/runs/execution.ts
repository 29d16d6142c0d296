import * as z from 'zod';
import { log } from '../../core/log.ts';
import { unixSeconds } from '../../core/time.ts';
import { SubFlows } from '../../domain/flows/sub-flows/sub-flows.ts';
import { type RunKey, runEntity } from '../../domain/runs/run.ts';
import { runCancelled } from '../../domain/runs/run-list.ts';
import { RunOrigin } from '../../domain/runs/run-origin.ts';
import { RunSurface } from '../../domain/surfaces/surface/run-surface.ts';
import { sweepKeys } from '../../platform/cleanup/sweeps.ts';
import { defineEntity } from '../../platform/data/entity.ts';
import { tenantPartition } from '../../platform/data/keys.ts';
import { PayloadRef } from '../../platform/data/payloads.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { TenantTable } from '../../platform/data/table.ts';
import type { Write } from '../../platform/data/writes.ts';

/** How long a caller has to execute a tool. Then the sweeper ends the run as failed. */
export const callerDays = 7;

/** What a paused run needs to continue, beside its checkpoints. */
export const PausedRun = z.object({
  toolCallId: z.string(),
  toolName: z.string(),
  flowVersionId: z.string(),
  subFlows: SubFlows.optional(),
  /** The record unless it is stored, the input variables and the messages. */
  input: PayloadRef,
  appendsMetadata: z.boolean(),
  debugMode: z.boolean(),
  permissions: z.array(z.string()),
});
export type PausedRun = z.infer<typeof PausedRun>;

/**
 * A run started by a dispatch, from its first checkpoint to its end; from its start, if a webhook is told of its end. The
 * sweeper ends it when its lease has expired, because its process has crashed. (A record's run in a batch needs no lease:
 * its message is redelivered.)
 */
export const Execution = z.object({
  id: z.string(),
  kind: z.enum(['dispatch']),
  flowId: z.string(),
  flowName: z.string(),
  recordId: z.string().nullable(),
  startedAt: z.string(),
  leaseUntil: z.string(),
  surface: RunSurface.optional(),
  /** These two are missing in what an earlier release started. */
  origin: RunOrigin.optional(),
  flowVersionId: z.string().optional(),
  /** When the run leaves the list, in Unix seconds, if nothing else of it is stored. */
  listedUntil: z.int().optional(),
  /** The span in which it was started, if the request named one. */
  startedIn: z.string().optional(),
  /** Set while the run waits for its caller to execute a tool. Its lease is then the time that the caller has. */
  paused: PausedRun.optional(),
  /** Expiry in Unix seconds, after the end of a run that had paused: until then a second resume gets a 409. */
  ttl: z.int().optional(),
});
export type Execution = z.infer<typeof Execution>;

export const executionSweep = 'EXECUTION';

export const executionEntity = defineEntity({
  type: 'execution',
  noun: 'execution',
  schema: Execution,
  key: ({ id }: { id: string }) => ({ PK: tenantPartition(`EXECUTION#${id}`), SK: 'EXECUTION' }),
  index: ({ id, leaseUntil }) => sweepKeys(executionSweep, id, leaseUntil),
});

export const leaseChanges = ({ id }: Pick<Execution, 'id'>, leaseUntil: string) => ({
  set: { leaseUntil },
  index: sweepKeys(executionSweep, id, leaseUntil),
});

const endedTtlSeconds = 7 * 86_400;

/** Ends the execution of a run that had paused. Commit it in the transaction that ends the run. */
export const endPausedExecution = ({ table, now }: Pick<Scope, 'table' | 'now'>, id: string): Write =>
  table.writes.update(
    executionEntity,
    { id },
    { set: { ttl: unixSeconds(now()) + endedTtlSeconds }, removeFromIndex: 2 },
    { expression: 'attribute_exists(PK)' },
  );

/** Commit it in the transaction that ends the run or hands it over to a batch. */
export const closeExecution = ({ writes }: TenantTable, id: string): Write =>
  writes.remove(executionEntity, { id });

/** Why a run is aborted that somebody has cancelled. */
export class RunCancelled extends DOMException {
  constructor() {
    super(runCancelled, 'AbortError');
  }
}

/** How often the process of a run looks whether somebody has cancelled it. */
const lookMs = 1_000;

/** A signal that is aborted when somebody cancels the run, as long as the watch is not disposed of. */
export function watchCancellation({ table }: Pick<Scope, 'table'>, { id, parentRunId }: RunKey) {
  const cancelled = new AbortController();
  const look = async () => {
    try {
      const run = await table.get(runEntity, { id, parentRunId });
      if (run?.status !== 'cancelled') return;
      clearInterval(timer);
      cancelled.abort(new RunCancelled());
    } catch (error) {
      log.warn('It is unknown whether a run was cancelled', { error });
    }
  };
  const timer = setInterval(look, lookMs);
  timer.unref();
  return { signal: cancelled.signal, [Symbol.dispose]: () => clearInterval(timer) };
}
