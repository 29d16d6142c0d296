/**
 * Alerts on the numbers of runs: what is stored of them, what an alert measures, and when somebody is told.
 *
 * An alert says what it measures; what it came to is with the watch of its tenant (`AlertWatch`), one item that each
 * evaluation replaces as a whole (`evaluate-alerts.ts`). `measureAlert` sums the minutes of its window; `decideAlert` follows from the
 * value and from what was told before, and nothing else.
 * Of firing and resolving, each is told once in a window at most: what was held back is told when the window is over, if it
 * still holds. An alert that is disabled, or has no data, counts as resolved. Pure.
 */
import * as z from 'zod';
import { webhookFormats } from '../../adapters/messages/webhook-formats.ts';
import { invalidAt } from '../../core/errors/errors.ts';
import { defineEntity } from '../../platform/data/entity.ts';
import { tenantPartition } from '../../platform/data/keys.ts';
import { addNumbers, type Cell, countRuns, createNumbers } from '../run-metrics/cell.ts';
import { runKinds } from '../runs/run.ts';
import { getSketchQuantile } from '../runs/sketch.ts';

export const alertMetrics = ['failure-rate', 'failures', 'duration-p95', 'cost', 'runs', 'waiting'] as const;
export const alertStates = ['ok', 'firing', 'no-data'] as const;
type AlertState = (typeof alertStates)[number];

export const AlertScope = z.object({
  kind: z.enum(runKinds).optional(),
  flowId: z.string().optional(),
  agentId: z.string().optional(),
  surfaceId: z.string().optional(),
  scheduleId: z.string().optional(),
  model: z.string().optional(),
});
export type AlertScope = z.infer<typeof AlertScope>;

export const Alert = z.object({
  id: z.string(),
  name: z.string(),
  metric: z.enum(alertMetrics),
  scope: AlertScope,
  windowMinutes: z.int(),
  above: z.number().optional(),
  below: z.number().optional(),
  minRuns: z.int(),
  webhookUrl: z.string().optional(),
  /** Default: by the host of the address. */
  webhookFormat: z.enum(webhookFormats).optional(),
  /** The encrypted key that signs what the webhook gets. */
  sealedSecret: z.string().optional(),
  emails: z.array(z.string()),
  enabled: z.boolean(),
  revision: z.int(),
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type Alert = z.infer<typeof Alert>;

/** What open waits are counted by. */
const waitScopes: readonly string[] = ['kind', 'flowId', 'agentId'];

/** @throws 400 for an alert that would always fire or never */
export function assertCanFire({ metric, above, below }: Pick<Alert, 'metric' | 'above' | 'below'>): void {
  const most = metric === 'failure-rate' ? 1 : Number.POSITIVE_INFINITY;
  const range = metric === 'failure-rate' ? 'is between 0 and 1' : 'is 0 or more';
  const refuse = (bound: string, when: string) =>
    invalidAt(bound, 'INVALID_VALUE', `The ${metric} ${range}: such an alert would ${when} fire`);
  if (above !== undefined && above < 0) throw refuse('above', 'always');
  if (above !== undefined && above >= most) throw refuse('above', 'never');
  if (below !== undefined && below <= 0) throw refuse('below', 'never');
  if (below !== undefined && below > most) throw refuse('below', 'always');
}

type RunKind = (typeof runKinds)[number];
const flowKinds: readonly RunKind[] = ['batch', 'flow'];
const waitKinds: readonly RunKind[] = ['flow', 'agent'];

/** @throws 400 for a scope that no run is in, or that its metric does not know */
export function assertScopeFits(metric: Alert['metric'], scope: AlertScope): void {
  const { kind, flowId, agentId, model } = scope;
  const refuse = (name: keyof AlertScope, message: string) =>
    invalidAt(`scope.${name}`, 'INVALID_VALUE', message);
  const unknown = (Object.keys(scope) as (keyof AlertScope)[]).find((name) => !waitScopes.includes(name));
  if (metric === 'waiting' && unknown)
    throw refuse(unknown, `Open waits are counted by ${waitScopes.join(', ')}; leave ${unknown} out`);
  if (metric === 'waiting' && kind && !waitKinds.includes(kind))
    throw refuse('kind', `Open waits are of the kinds ${waitKinds.join(' and ')}`);
  if (flowId && agentId) throw refuse('agentId', 'A run is of a flow or of an agent; leave one of them out');
  if (flowId && kind && !flowKinds.includes(kind))
    throw refuse('kind', `Runs of a flow are of the kinds ${flowKinds.join(' and ')}`);
  if (agentId && kind && kind !== 'agent') throw refuse('kind', 'Runs of an agent are of the kind agent');
  if (model !== undefined && !/^[^/]+\/./.test(model))
    throw refuse('model', 'Expected <provider>/<modelId>, such as openai/gpt-5-mini');
}

/** Whether it needs runs to have a value. */
export const countsRuns = (metric: Alert['metric']): boolean => metric !== 'runs' && metric !== 'waiting';

/** @throws 400 for a number of runs that nothing would follow from */
export function assertCountsRuns(metric: Alert['metric'], minRuns = 1): void {
  if (minRuns > 1 && !countsRuns(metric))
    throw invalidAt('minRuns', 'INVALID_VALUE', `The ${metric} always has a value; leave minRuns out`);
}

export const alertsPartition = tenantPartition('ALERTS');

export const alertEntity = defineEntity({
  type: 'alert',
  noun: 'alert',
  schema: Alert,
  key: ({ id }: { id: string }) => ({ PK: alertsPartition, SK: `ALERT#${id}` }),
});

/** What an alert has come to. */
const AlertStanding = z.object({
  state: z.enum(alertStates),
  value: z.number().nullable(),
  since: z.string(),
  /** What its receivers were told last. */
  told: z.enum(['firing', 'resolved']),
  firedAt: z.string().optional(),
  resolvedAt: z.string().optional(),
});
export type AlertStanding = z.infer<typeof AlertStanding>;

/** A message that an alert has sent. */
export const alertEventEntity = defineEntity({
  type: 'alertEvent',
  schema: z.object({
    alertId: z.string(),
    type: z.enum(['firing', 'resolved']),
    at: z.string(),
    value: z.number().nullable(),
    ttl: z.int(),
  }),
  key: ({ alertId, at }: { alertId: string; at: string }) => ({
    PK: tenantPartition(`ALERT#${alertId}#EVENTS`),
    SK: at,
  }),
});
export type AlertEvent = z.infer<typeof alertEventEntity.schema>;

/** Runs of a minute that a schedule has started, or nothing or something else has. */
const MinutePart = z.object({ scheduleId: z.string().optional(), cells: z.array(z.custom<Cell>()) });
export type MinutePart = z.infer<typeof MinutePart>;

/** The numbers of the minutes of an hour, of a tenant that has alerts. */
export const alertHourEntity = defineEntity({
  type: 'alertHour',
  schema: z.object({ hour: z.string(), minutes: z.record(z.string(), z.array(MinutePart)), ttl: z.int() }),
  key: ({ hour }: { hour: string }) => ({ PK: tenantPartition('ALERTS#HOURS'), SK: hour }),
  packing: { fields: ['minutes'], dictionaries: [''] },
});

/** How far the runs of a tenant are counted, and what its alerts came to. */
export const AlertWatch = z.object({
  version: z.int(),
  /** Up to where runs were read by their start, and those that ended in a later hour by their end. ISO. */
  readTo: z.string(),
  /** Those that were open then. */
  open: z.array(z.string()),
  /** Those that are counted and would be found again. */
  counted: z.array(z.string()),
  standings: z.record(z.string(), AlertStanding),
});
export type AlertWatch = z.infer<typeof AlertWatch>;

const matches = ({ scheduleId }: MinutePart, cell: Cell, scope: AlertScope): boolean =>
  !cell.inside &&
  cell.kind !== 'record' &&
  cell.model === scope.model &&
  (scope.scheduleId === undefined || scope.scheduleId === scheduleId) &&
  (scope.kind === undefined || scope.kind === cell.kind) &&
  (scope.flowId === undefined || scope.flowId === cell.flowId) &&
  (scope.agentId === undefined || scope.agentId === cell.agentId) &&
  (scope.surfaceId === undefined || scope.surfaceId === cell.surfaceId);

/** The value in a window, null without data. @param parts Of the minutes of the window. */
export function measureAlert(
  { metric, scope, minRuns }: Pick<Alert, 'metric' | 'scope' | 'minRuns'>,
  parts: Iterable<MinutePart>,
): number | null {
  const sum = createNumbers();
  for (const part of parts)
    for (const cell of part.cells) if (matches(part, cell, scope)) addNumbers(sum, cell);
  const runs = countRuns(sum);
  if (metric === 'runs') return runs;
  if (runs === 0 || runs < minRuns) return null;
  if (metric === 'failures') return sum.failed;
  if (metric === 'failure-rate') return sum.failed / runs;
  if (metric === 'cost') return Number(sum.cost);
  return getSketchQuantile(sum.durations, 0.95);
}

const toState = ({ above, below }: Pick<Alert, 'above' | 'below'>, value: number | null): AlertState => {
  if (value === null) return 'no-data';
  return (above !== undefined && value > above) || (below !== undefined && value < below) ? 'firing' : 'ok';
};

export const createStanding = (at: Date): AlertStanding => ({
  state: 'no-data',
  value: null,
  since: at.toISOString(),
  told: 'resolved',
});

/** What an alert comes to, and whether somebody is told. @param value Null without data. */
export function decideAlert(
  alert: Pick<Alert, 'above' | 'below' | 'enabled' | 'windowMinutes'>,
  before: AlertStanding,
  value: number | null,
  at: Date,
): { standing: AlertStanding; tells: 'firing' | 'resolved' | undefined } {
  const state = toState(alert, value);
  const since = state === before.state ? before.since : at.toISOString();
  const standing = { ...before, state, value, since };
  const due = alert.enabled && state === 'firing' ? ('firing' as const) : ('resolved' as const);
  const last = due === 'firing' ? before.firedAt : before.resolvedAt;
  const isHeld = last !== undefined && at.getTime() - Date.parse(last) < alert.windowMinutes * 60_000;
  if (due === before.told || isHeld) return { standing, tells: undefined };
  const moments = due === 'firing' ? { firedAt: at.toISOString() } : { resolvedAt: at.toISOString() };
  return { standing: { ...standing, told: due, ...moments }, tells: due };
}
