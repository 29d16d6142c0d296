/**
 * Evaluates the alerts of a tenant, each minute: counts the runs that ended since, sums the window of each alert, and tells
 * whoever is to be told.
 *
 * Runs are found by their start, from a little before where the last evaluation stopped; those that were open then are read
 * again, and those that end in a later hour than they began are in an index by their end. A run counts in the minute of its
 * end, once: `counted` has those that would be found again. A window is the last full minutes.
 * The watch, the minutes and the messages (deliveries and history) are one transaction, on the condition that the watch is
 * unchanged: of two evaluations one counts, and a crash repeats it as a whole. Where more is to be told than fits, the rest
 * follows in the next minute. A tenant without alerts loses its watch here, and costs nothing.
 * The worker `evaluate-alerts` calls it for all tenants with a watch; `alert-messages.ts` makes the messages and sends them.
 */
import { forEachConcurrently } from '../../core/concurrency/map-concurrently.ts';
import { getIdCreatedAt } from '../../core/ids.ts';
import { log } from '../../core/log.ts';
import { unixSeconds } from '../../core/time.ts';
import { using } from '../../platform/aws/uses.ts';
import { listDue } from '../../platform/cleanup/sweeps.ts';
import { onConditionFailed } from '../../platform/data/condition-failed.ts';
import { decodeReadable, type StoredOf } from '../../platform/data/entity.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Write } from '../../platform/data/writes.ts';
import type { Runtime } from '../../platform/runtime.ts';
import { deliveryEntity, deliveryQueue } from '../deliveries/delivery.ts';
import type { NewDelivery } from '../deliveries/end-webhook.ts';
import { createCellSum, toRunCells } from '../run-metrics/cell.ts';
import { type InboxWait, inboxPartition } from '../run-waits/inbox-wait.ts';
import {
  lateRunsPartition,
  type Run,
  runEntity,
  runsPartition,
  toHour,
  toRunsCeiling,
  toRunsFloor,
} from '../runs/run.ts';
import {
  type Alert,
  type AlertEvent,
  type AlertScope,
  type AlertWatch,
  alertEventEntity,
  alertHourEntity,
  createStanding,
  decideAlert,
  type MinutePart,
  measureAlert,
} from './alert.ts';
import { createAlertMessages } from './alert-messages.ts';
import { alertReader, alertSweep, alertWatchEntity, historyDays } from './alert-store.ts';

const minuteMs = 60_000;
/** A run may be listed so long after the time of its id. */
const overlapMs = 3 * minuteMs;
const settledMs = 5 * minuteMs;
const openMax = 5_000;
/** Fewer than a transaction takes, for the watch and the hours that go with them. */
const messagesMax = 60;
const hoursKeptSeconds = 27 * 3_600;
const waitsMax = 5_000;

type Minutes = Map<string, MinutePart[]>;

/** The minute of a time: `2026-11-26T08:15`. */
const toMinute = (at: string) => at.slice(0, 16);

interface Found {
  /** Those that ended, and are not counted yet. */
  ended: Run[];
  watch: Pick<AlertWatch, 'readTo' | 'open' | 'counted'>;
}

/** The runs that ended since the last evaluation. */
async function findEndedRuns({ table }: Scope, before: AlertWatch, at: Date): Promise<Found> {
  const from = Date.parse(before.readTo) - overlapMs;
  const range = { from: toRunsFloor(from), to: toRunsCeiling(at.getTime()) };
  const late = { partition: lateRunsPartition, index: 2 as const, from: new Date(from).toISOString() };
  const [begun, lateIds, reopened] = await Promise.all([
    table.queryAll({ partition: runsPartition, ...range, consistent: true }),
    table.queryAll({ ...late, to: `${at.toISOString()}~` }),
    table.getMany(
      before.open.map((id) => runEntity.key({ id })),
      { consistent: true },
    ),
  ]);
  const countedIds = new Set(before.counted);
  const lateRuns = await table.getMany(
    lateIds.map(({ SK2 }) => runEntity.key({ id: String(SK2).split('#').at(-1) ?? '' })),
    { consistent: true },
  );
  const runs = new Map<string, Run>();
  for (const run of decodeReadable(runEntity, [...begun, ...lateRuns, ...reopened])) runs.set(run.id, run);
  const isEnded = ({ completedAt }: Run) => completedAt !== undefined && completedAt <= at.toISOString();
  const all = [...runs.values()];
  const ended = all.filter((run) => isEnded(run) && !countedIds.has(run.id));
  // The end of a run is stored a moment after its time.
  const hour = toHour(new Date(at.getTime() - settledMs).toISOString());
  const nextFrom = at.getTime() - overlapMs;
  const isFoundAgain = ({ id, completedAt = '' }: Run) =>
    Date.parse(getIdCreatedAt(id)) >= nextFrom || Date.parse(completedAt) >= nextFrom;
  return {
    ended,
    watch: {
      readTo: at.toISOString(),
      // Those of earlier hours are found by their end.
      open: all
        .filter((run) => !isEnded(run) && toHour(getIdCreatedAt(run.id)) >= hour)
        .map(({ id }) => id)
        .slice(-openMax),
      counted: all.filter((run) => isEnded(run) && isFoundAgain(run)).map(({ id }) => id),
    },
  };
}

/** The numbers of runs by the minute in which they ended. */
function toMinutes(runs: readonly Run[]): Minutes {
  const byMinute = Map.groupBy(runs, ({ completedAt = '' }) => toMinute(completedAt));
  return new Map(
    [...byMinute].map(([minute, ofMinute]) => {
      const bySchedule = Map.groupBy(ofMinute, ({ trigger }) => trigger.scheduleId);
      const parts = [...bySchedule].map(([scheduleId, same]): MinutePart => {
        const sum = createCellSum();
        for (const run of same)
          sum.add([...toRunCells(run).values()].flat().filter(({ kind }) => kind !== 'record'));
        return { ...(scheduleId !== undefined && { scheduleId }), cells: sum.cells() };
      });
      return [minute, parts];
    }),
  );
}

/** The minutes as they are stored, with those that are new. @returns the hours that changed too */
async function addMinutes({ table, now }: Scope, from: string, to: string, added: Minutes) {
  const { PK } = alertHourEntity.key({ hour: '' });
  const first = [...added.keys()].map((minute) => minute.slice(0, 13)).toSorted()[0] ?? from;
  const items = await table.queryAll({
    partition: PK,
    from: first < from ? first : from,
    to: `${to}~`,
    consistent: true,
  });
  const hours = new Map(
    decodeReadable(alertHourEntity, items).map(({ hour, minutes }) => [hour, { ...minutes }]),
  );
  const changed = new Set<string>();
  for (const [minute, parts] of added) {
    const [hour, rest] = [minute.slice(0, 13), minute.slice(14)];
    const minutes = hours.get(hour) ?? {};
    minutes[rest] = [...(minutes[rest] ?? []), ...parts];
    hours.set(hour, minutes);
    changed.add(hour);
  }
  const all: Minutes = new Map(
    [...hours].flatMap(([hour, minutes]) =>
      Object.entries(minutes).map(([rest, parts]) => [`${hour}:${rest}`, parts] as const),
    ),
  );
  const ttl = unixSeconds(now()) + hoursKeptSeconds;
  const writes = [...changed].map((hour) =>
    table.writes.put(alertHourEntity, { hour, minutes: hours.get(hour) ?? {}, ttl }),
  );
  return { all, writes };
}

/** @param windowMinutes Up to the minute that is not over yet. */
function* partsOfWindow(minutes: Minutes, windowMinutes: number, at: Date): Generator<MinutePart> {
  const end = Math.floor(at.getTime() / minuteMs);
  for (let minute = end - windowMinutes; minute < end; minute++)
    yield* minutes.get(toMinute(new Date(minute * minuteMs).toISOString())) ?? [];
}

async function listOpenWaits({ table }: Scope, alerts: readonly Alert[]): Promise<InboxWait[]> {
  if (!alerts.some(({ metric }) => metric === 'waiting')) return [];
  const { items } = await table.first(waitsMax, { partition: inboxPartition('open'), index: 1 });
  return items.map(({ summary }) => summary as InboxWait);
}

const countWaits = (waits: readonly InboxWait[], { kind, flowId, agentId }: AlertScope, at: Date): number =>
  waits.filter(
    (wait) =>
      wait.expiresAt > at.toISOString() &&
      (kind === undefined || wait.runKind === kind) &&
      (flowId === undefined || wait.flowId === flowId) &&
      (agentId === undefined || wait.agentId === agentId),
  ).length;

/** @returns how many messages were written. */
export async function evaluateAlerts(scope: Scope, at: Date = scope.now()): Promise<number> {
  const { table } = scope;
  const { alerts, watch: before } = await alertReader(scope).readAll();
  if (!before) return 0;
  const isUnchanged = { expression: '#version = :seen', values: { seen: before.version } };
  if (alerts.length === 0) {
    await table
      .commit([table.writes.remove(alertWatchEntity, {}, isUnchanged)])
      .catch(onConditionFailed(undefined));
    return 0;
  }
  const { ended, watch } = await findEndedRuns(scope, before, at);
  const longest = Math.max(...alerts.map(({ windowMinutes }) => windowMinutes));
  const from = toHour(new Date(at.getTime() - (longest + 1) * minuteMs).toISOString());
  const [{ all, writes: hours }, waits] = await Promise.all([
    addMinutes(scope, from, toHour(at.toISOString()), toMinutes(ended)),
    listOpenWaits(scope, alerts),
  ]);
  const standings: StoredOf<typeof alertWatchEntity>['standings'] = {};
  const messages: NewDelivery[] = [];
  const events: AlertEvent[] = [];
  for (const alert of alerts) {
    const value =
      alert.metric === 'waiting'
        ? countWaits(waits, alert.scope, at)
        : measureAlert(alert, partsOfWindow(all, alert.windowMinutes, at));
    const former = before.standings[alert.id] ?? createStanding(at);
    const { standing, tells } = decideAlert(alert, former, value, at);
    const alertMessages = tells ? createAlertMessages(scope, alert, tells, value, at) : [];
    const fits = messages.length + alertMessages.length + events.length < messagesMax;
    standings[alert.id] = fits
      ? standing
      : { ...former, state: standing.state, value, since: standing.since };
    if (!tells || !fits) continue;
    messages.push(...alertMessages);
    const ttl = unixSeconds(at) + historyDays * 86_400;
    events.push({ alertId: alert.id, type: tells, at: at.toISOString(), value, ttl });
  }
  const after = { version: before.version + 1, ...watch, standings };
  const write: Write = table.writes.put(alertWatchEntity, after, isUnchanged);
  const isWritten = await table
    .commit([
      write,
      ...hours.slice(-hoursPerTransaction),
      ...messages.map((message) => table.writes.insert(deliveryEntity, message)),
      ...events.map((event) => table.writes.put(alertEventEntity, event)),
    ])
    .then(() => true, onConditionFailed(false));
  if (!isWritten) return 0;
  await Promise.all(messages.map((message) => deliveryQueue({ table }).sendOrLeave(message)));
  return messages.length;
}

const hoursPerTransaction = 30;

const atOnce = 8;

/** Evaluates the alerts of all tenants that have some. */
export const evaluateAllAlerts = /* @__PURE__ */ using(
  ['table:write', 'table:delete', alertReader, deliveryQueue],
  async ({ scopeOf }: Runtime): Promise<void> => {
    for await (const page of listDue(scopeOf('').table, alertSweep, 'all')) {
      await forEachConcurrently(page.values(), atOnce, async ({ tenant }) => {
        await evaluateAlerts(scopeOf(tenant)).catch((error) =>
          log.error('The alerts of a tenant could not be evaluated', { error, tenant }),
        );
      });
    }
  },
);
