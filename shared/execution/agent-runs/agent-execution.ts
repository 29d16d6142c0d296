/**
 * The execution of an agent as an item: its indexes, its lists, and the writes that change its status with the facts of
 * its log.
 * Status and lease are on this item, what happened is in the log (`run-log.ts`). Each write is conditional on the
 * status, and is committed with the fact that causes it, so the two never disagree.
 * An open run is in the sweep index at the end of its lease or its first wait; a run inside of an agent's run is found
 * by its parent instead, whose process looks after it. After a crash the sweep (`sweep-runs.ts`) finds the expired
 * lease.
 * The recorders and sweeps in this folder write it; the listed run of an agent (`toAgentRun`) is derived from it, and
 * `functions/agent-executions/list.ts` lists the executions of an agent.
 */
import Big from 'big.js';
import * as z from 'zod';
import { formatCost } from '../../adapters/ports/spending.ts';
import { idCeiling, idFloor } from '../../core/ids.ts';
import { agentFinder } from '../../domain/agents/agent-store.ts';
import { type NewRun, type RunEnding, runError } from '../../domain/runs/run-list.ts';
import { childListing, type ParentListing, RunOrigin } from '../../domain/runs/run-origin.ts';
import { noTotals, type RunUse } from '../../domain/runs/run-use.ts';
import { RunSurface } from '../../domain/surfaces/surface/run-surface.ts';
import { using } from '../../platform/aws/uses.ts';
import { sweepKeys } from '../../platform/cleanup/sweeps.ts';
import { onConditionFailed } from '../../platform/data/condition-failed.ts';
import { defineEntity } from '../../platform/data/entity.ts';
import { type IndexKeys, tenantPartition } from '../../platform/data/keys.ts';
import { leaseOn } from '../../platform/data/lease.ts';
import { type CursorQuery, cursorPage, onePage } from '../../platform/data/lists/pages.ts';
import { PayloadRef } from '../../platform/data/payloads.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Write } from '../../platform/data/writes.ts';
import type { EndFact, PauseFact } from '../agent-loop/facts.ts';
import type { RunState } from '../agent-loop/state.ts';

export const executionStatuses = ['running', 'paused', 'completed', 'failed', 'cancelled'] as const;

/** The status of a run. What happened in it is in its log (`run-log.ts`). */
export const AgentExecution = z.object({
  id: z.string(),
  /** Null for an agent that was given inline. */
  agentId: z.string().nullable(),
  agentName: z.string(),
  /** The immutable version that runs; null if `spec` holds the content instead. */
  agentVersionId: z.string().nullable(),
  agentSource: z.enum(['native', 'external']),
  /** The execution that runs this one as a sub-agent or in a step. */
  parentExecutionId: z.string().nullable(),
  parentToolCallId: z.string().optional(),
  /** The agent of the outermost execution. */
  rootAgentId: z.string().nullable(),
  /** Whether a run of an agent runs it, which looks after it. */
  isInAgent: z.boolean(),
  /** The span in which it was started: of the run around it, or one that the request named. */
  startedIn: z.string().optional(),
  depth: z.int(),
  surfaceType: z.string(),
  surface: RunSurface.optional(),
  /** Missing in what an earlier release started. */
  origin: RunOrigin.optional(),
  turnsMax: z.int(),
  userId: z.string(),
  organizationId: z.string().nullable(),
  /** What it took to start it. Whoever continues it needs it too. */
  permissions: z.array(z.string()),
  /** Whether a worker runs it. Otherwise it runs in front of its caller, and ends with that process. */
  background: z.boolean(),
  status: z.enum(executionStatuses),
  stopReason: z.string().nullable(),
  error: z.string().nullable(),
  startedAt: z.string(),
  completedAt: z.string().nullable(),
  /** Totals, once it has ended. */
  iterations: z.int().nullable(),
  inputTokens: z.int().nullable(),
  outputTokens: z.int().nullable(),
  /** USD as decimal text; null if a model call has no known price. */
  totalCost: z.string().nullable(),
  /** How long it may run, without the time that it waits for somebody. */
  timeoutMs: z.int(),
  /** How long it had run when it last paused. */
  activeMs: z.int(),
  restarts: z.int(),
  /** The process that runs it; empty if none does. */
  holder: z.string(),
  /** Until when the process has it, or until when it waits for somebody. */
  leaseUntil: z.string(),
  /** The number of the last fact that says what all before it come to. */
  stateAt: z.int().optional(),
  /** Until when somebody reads what it says as it says it (`live-output.ts`). */
  followedUntil: z.string().optional(),
  /** The messages, the system prompt and the options. */
  input: PayloadRef,
  /** The content of the agent unless it is an immutable version. */
  spec: PayloadRef.nullable(),
  /** Whether what was said is kept after the end. */
  isLogged: z.boolean().default(true),
  ttl: z.int().optional(),
});
export type AgentExecution = z.infer<typeof AgentExecution>;

/** The sweep that finds executions whose process has crashed, and waits that are over. */
export const agentRunSweep = 'AGENT_RUN';

export const agentRunPartition = (id: string) => tenantPartition(`AGENTRUN#${id}`);
export const runsOfAgentPartition = (agentId: string) => tenantPartition(`AGENT#${agentId}#RUNS`);
export const childrenPartition = (parentId: string) => tenantPartition(`AGENTRUN#${parentId}#CHILDREN`);

type Placed = Pick<AgentExecution, 'id' | 'parentExecutionId' | 'isInAgent' | 'leaseUntil'>;

/** One inside of a run of an agent is found by its parent, whose lease covers it. */
export const openRunIndex = (execution: Placed): IndexKeys =>
  execution.isInAgent
    ? childRunIndex(execution)
    : sweepKeys(agentRunSweep, execution.id, execution.leaseUntil);

const childRunIndex = ({ id, parentExecutionId }: Placed): IndexKeys =>
  parentExecutionId ? { PK2: childrenPartition(parentExecutionId), SK2: id } : {};

export const agentExecutionEntity = defineEntity({
  type: 'agentExecution',
  noun: 'execution',
  schema: AgentExecution,
  key: ({ id }: { id: string }) => ({ PK: agentRunPartition(id), SK: 'EXECUTION' }),
  index: (execution) => ({
    ...(execution.agentId && { PK1: runsOfAgentPartition(execution.agentId), SK1: execution.id }),
    ...openRunIndex(execution),
  }),
  summary: [
    'agentId',
    'agentName',
    'agentSource',
    'parentExecutionId',
    'parentToolCallId',
    'surfaceType',
    'surface',
    'status',
    'stopReason',
    'startedAt',
    'completedAt',
    'iterations',
    'inputTokens',
    'outputTokens',
    'totalCost',
  ],
});

export const isExecutionOver = ({ status }: Pick<AgentExecution, 'status'>) =>
  status === 'completed' || status === 'failed' || status === 'cancelled';

/** How long a process has a run before it must renew its lease. */
const leaseMs = 90_000;
export const runLease = /* @__PURE__ */ leaseOn(agentExecutionEntity, {
  holder: 'holder',
  until: 'leaseUntil',
  format: 'iso',
  leaseMs,
});

/** How long a message may wait for a worker before the sweep sends another. */
export const resentAfterMs = 5 * 60_000;

const isOpen = {
  expression: '#summary.#status = :running OR #summary.#status = :paused',
  values: { running: 'running', paused: 'paused' },
};

const isPaused = { expression: '#summary.#status = :paused', values: { paused: 'paused' } };

export const endStatus = ({ stopReason, error }: EndFact) =>
  stopReason === 'cancelled' ? 'cancelled' : error === null ? 'completed' : 'failed';

/** Commit it with the fact `end`. */
export function toEndWrite(
  { table }: Scope,
  execution: AgentExecution,
  end: EndFact,
  { turns, totals }: RunState,
): Write {
  return table.writes.update(
    agentExecutionEntity,
    { id: execution.id },
    {
      set: {
        status: endStatus(end),
        stopReason: end.stopReason,
        error: end.error,
        completedAt: end.at,
        iterations: turns,
        inputTokens: totals.inputTokens,
        outputTokens: totals.outputTokens,
        totalCost: formatCost(totals),
      },
      ...(execution.parentExecutionId === null
        ? { removeFromIndex: 2 as const }
        : { index: childRunIndex(execution) }),
    },
    isOpen,
  );
}

/** Commit it with the fact `pause`. The sweep looks at the run again when the first wait is over. */
export function toPauseWrite(
  { table }: Scope,
  execution: AgentExecution,
  { waits }: PauseFact,
  activeMs: number,
): Write {
  const leaseUntil = waits.map(({ until }) => until).sort()[0] as string;
  return table.writes.update(
    agentExecutionEntity,
    { id: execution.id },
    {
      set: { status: 'paused', leaseUntil, activeMs },
      index: openRunIndex({ ...execution, leaseUntil }),
    },
    isOpen,
  );
}

/** Commit it with the fact `continue`. */
export function toContinueWrite({ table, now }: Scope, execution: AgentExecution, holder: string): Write {
  const lease = runLease.toMembers(now(), holder);
  return table.writes.update(
    agentExecutionEntity,
    { id: execution.id },
    { set: { status: 'running', ...lease }, index: openRunIndex({ ...execution, ...lease }) },
    isPaused,
  );
}

/** Gives a run back that another process may continue at once. @param isHandedOver Whether it went well until now */
export async function releaseRun(
  { table }: Scope,
  { id, holder }: Pick<AgentExecution, 'id' | 'holder'>,
  activeMs?: number,
  isHandedOver = false,
): Promise<void> {
  const write = table.writes.update(
    agentExecutionEntity,
    { id },
    // Only what was not handed over counts as a crash.
    { set: { holder: '', activeMs, ...(isHandedOver && { restarts: 0 }) } },
    runLease.isHolder(holder),
  );
  await table.commit([write]).catch(onConditionFailed(undefined));
}

/** The sweep looks at the run again at a time, unless a process takes it before. */
export async function postponeRunSweep(
  { table }: Scope,
  execution: AgentExecution,
  leaseUntil: string,
): Promise<void> {
  const write = table.writes.update(
    agentExecutionEntity,
    { id: execution.id },
    { index: openRunIndex({ ...execution, leaseUntil }) },
    {
      expression: '#leaseUntil = :former AND (#summary.#status = :running OR #summary.#status = :paused)',
      values: { former: execution.leaseUntil, running: 'running', paused: 'paused' },
    },
  );
  await table.commit([write]).catch(onConditionFailed(undefined));
}

const getOrigin = ({ origin, parentExecutionId, userId }: AgentExecution): RunOrigin =>
  origin ?? {
    trigger: { type: parentExecutionId ? 'run' : 'api', userId },
    ...(parentExecutionId && { parentRunId: parentExecutionId, rootRunId: parentExecutionId }),
  };

/** The run of an agent as it is listed. */
export function toAgentRun(execution: AgentExecution): NewRun {
  const { id, agentName: name, agentId, agentVersionId, startedAt, ttl } = execution;
  return {
    id,
    kind: 'agent',
    name,
    ...(agentId && { agentId }),
    ...(agentVersionId && { agentVersionId }),
    ...getOrigin(execution),
    startedAt,
    ...(ttl !== undefined && { ttl }),
  };
}

export const toAgentListing = (execution: AgentExecution): ParentListing =>
  childListing(execution.id, getOrigin(execution));

/** @param use Of the model calls of the whole run. */
export function toAgentEnding(end: EndFact, { totals, reusedFrom }: RunState, use: RunUse): RunEnding {
  const status = endStatus(end);
  return {
    status,
    stopReason: end.stopReason,
    at: end.at,
    totals: { ...noTotals, ...totals, saved: new Big(reusedFrom?.savedCost ?? 0), use },
    error: runError(status, end.error),
  };
}

export interface ExecutionsQuery extends CursorQuery {
  status?: AgentExecution['status'] | undefined;
  surfaceType?: string | undefined;
  /** On the start. */
  from?: Date | undefined;
  to?: Date | undefined;
  /** These two: of whatever agent. */
  parentExecutionId?: string | undefined;
  executionId?: string | undefined;
}

/** Lists the executions of an agent, newest first. */
export const agentExecutions = /* @__PURE__ */ using([agentFinder], (scope: Scope) => {
  const { table } = scope;

  /** @throws 404 if there is no such agent. */
  return async (agentId: string, query: ExecutionsQuery) => {
    await agentFinder(scope).find(agentId);
    const { executionId, parentExecutionId } = query;
    if (executionId) return toSinglePage(await table.get(agentExecutionEntity, { id: executionId }), query);
    const source = parentExecutionId
      ? ({ partition: childrenPartition(parentExecutionId), index: 2 } as const)
      : ({ partition: runsOfAgentPartition(agentId), index: 1 } as const);
    const filter = toFilter(query);
    return cursorPage(
      table,
      { ...source, kind: 'exec', ...(filter && { filter, passesMost: true }), ...toRange(query) },
      query,
    );
  };
});

/** The start is part of the id. */
const toRange = ({ from, to }: ExecutionsQuery) => ({
  ...(from && { from: idFloor('exec', from.getTime()) }),
  ...(to && { to: idCeiling('exec', to.getTime()) }),
});

function toFilter({ status, surfaceType }: ExecutionsQuery) {
  const wanted = Object.entries({ status, surfaceType }).filter(([, value]) => value !== undefined);
  if (wanted.length === 0) return undefined;
  return {
    expression: wanted.map(([name]) => `#summary.#${name} = :${name}`).join(' AND '),
    values: Object.fromEntries(wanted),
  };
}

const toSinglePage = (execution: AgentExecution | undefined, query: ExecutionsQuery) => {
  const rows = execution && matches(execution, query) ? [execution] : [];
  return { rows, pagination: onePage(rows.length, query) };
};

const matches = (
  { status, surfaceType, startedAt, parentExecutionId }: AgentExecution,
  query: ExecutionsQuery,
) =>
  (query.status ?? status) === status &&
  (query.surfaceType ?? surfaceType) === surfaceType &&
  (query.parentExecutionId ?? parentExecutionId) === parentExecutionId &&
  (!query.from || Date.parse(startedAt) >= query.from.getTime()) &&
  (!query.to || Date.parse(startedAt) <= query.to.getTime());
