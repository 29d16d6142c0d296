import { createHash } from 'node:crypto';
import Big from 'big.js';
import * as z from 'zod';
import { timeOf } from '../../core/ids.ts';
import { dollarsOf, unitsOf } from '../../domain/model-usage/cost-units.ts';
import type { RecordsOfHour } from '../../domain/runs/run.ts';
import { noTotals, plusTotals, type RunTotals } from '../../domain/runs/run-totals.ts';
import { type ModelUse, noTokens, type RunTokens, type RunUse } from '../../domain/runs/run-use.ts';
import { bucketOf, type SketchCounts } from '../../domain/runs/sketch.ts';

/** A record that has ended, as its slot counts it. */
export interface CountedRecord {
  failed: boolean;
  durationMs: number;
  totals: RunTotals;
  /** Whether it is one of the processed records. If not, only what it took is counted. */
  isCounted: boolean;
}

/**
 * Counters with short names, since every commit of a slot pays for its item: `ti` to `tr` tokens, `u` cost in units of 10^-15
 * USD, `x` records with a call without a price, `f_<hour>` failed records, `d_<hour>_<bucket>` durations. Of a model, after
 * four hex digits of its hash: `mn…` its name, `mc…` calls, `mf…` failed, `mi…` to `mr…` tokens, `mu…` cost, `mx…` calls
 * without a price, `md…_<bucket>` durations.
 */
type Counters = Record<string, number | string>;

const tokenLetters = { input: 'i', output: 'o', cachedInput: 'k', reasoning: 'r' } as const;
const tokenNames = Object.keys(tokenLetters) as (keyof RunTokens)[];

/** What the records of a slot add to its item. */
export function countersOf(
  batchId: string,
  ended: readonly CountedRecord[],
  now: Date,
): { add: Record<string, number | string>; setOnce: Record<string, string> } {
  const add: Counters = {};
  const setOnce: Record<string, string> = {};
  const plus = (name: string, count: number) => {
    if (count > 0) add[name] = Number(add[name] ?? 0) + count;
  };
  const plusUnits = (name: string, cost: Big) => {
    if (!cost.eq(0)) add[name] = new Big(add[name] ?? 0).plus(unitsOf(cost)).toFixed();
  };
  const hour = windowOf(batchId, now).toString(36);
  for (const { failed, durationMs, isCounted } of ended) {
    if (!isCounted) continue;
    plus(`d_${hour}_${bucketOf(durationMs)}`, 1);
    if (failed) plus(`f_${hour}`, 1);
  }
  const { tokens, cost, use } = ended.map(({ totals }) => totals).reduce(plusTotals, noTotals);
  for (const name of tokenNames) plus(`t${tokenLetters[name]}`, tokens[name]);
  plusUnits('u', cost);
  plus('x', ended.filter(({ totals }) => !totals.isPriced).length);
  for (const [model, of] of Object.entries(use)) {
    const tag = createHash('sha256').update(model).digest('hex').slice(0, 4);
    setOnce[`mn${tag}`] = model;
    plus(`mc${tag}`, of.calls);
    plus(`mf${tag}`, of.failed);
    for (const name of tokenNames) plus(`m${tokenLetters[name]}${tag}`, of.tokens[name]);
    if (of.cost === null) plus(`mx${tag}`, 1);
    else plusUnits(`mu${tag}`, new Big(of.cost));
    for (const [bucket, times] of Object.entries(of.durations)) plus(`md${tag}_${bucket}`, times);
  }
  return { add, setOnce };
}

const hourMs = 3_600_000;
const exactHours = 6;

/**
 * The hour, since 1970, in which a record counts. After six hours of its batch the first of a window of six, so that the item
 * of a slot stays small.
 */
function windowOf(batchId: string, now: Date): number {
  const hour = Math.floor(now.getTime() / hourMs);
  const first = Math.floor(timeOf(batchId) / hourMs);
  return hour - first < exactHours ? hour : hour - ((hour - first) % exactHours);
}

export const SlotItem = z
  .object({
    processed: z.int().default(0),
    failed: z.int().default(0),
    /** USD for all model calls, as an earlier release counted it. */
    cost: z.number().default(0),
    lastAt: z.string().optional(),
  })
  .catchall(z.unknown());
export type SlotItem = z.infer<typeof SlotItem>;

/** What all slots of a batch have counted. */
export interface SlotTotals {
  totals: RunTotals;
  records: Record<string, RecordsOfHour>;
}

export function totalsOfSlots(slots: readonly SlotItem[]): SlotTotals {
  const records: Record<string, RecordsOfHour> = {};
  const models = new Map<string, ModelUse & { unpriced: number }>();
  const tokens = { ...noTokens };
  let cost = new Big(0);
  let unpriced = 0;
  const hourAt = (tag: string) => {
    const name = new Date(Number.parseInt(tag, 36) * hourMs).toISOString().slice(0, 13);
    records[name] ??= { completed: 0, failed: 0, durations: {} };
    return records[name];
  };
  for (const slot of slots) {
    cost = cost.plus(slot.cost);
    const names = new Map<string, string>();
    for (const [name, value] of Object.entries(slot)) {
      if (/^mn[0-9a-f]{4}$/.test(name)) names.set(name.slice(2), String(value));
    }
    for (const [name, stored] of Object.entries(slot)) {
      const [, kind = '', tag = '', bucket = ''] = counterName.exec(name) ?? [];
      if (!kind || kind === 'mn') continue;
      const value = Number(stored);
      if (kind === 'u') cost = cost.plus(dollarsOf(new Big(String(stored))));
      else if (kind === 'x') unpriced += value;
      else if (kind === 'd_') {
        const hour = hourAt(tag);
        hour.completed += value;
        addTo(hour.durations, bucket, value);
      } else if (kind === 'f_') {
        const hour = hourAt(tag);
        hour.completed -= value;
        hour.failed += value;
      } else if (kind.startsWith('t')) tokens[tokenOf(kind)] += value;
      else addModel(models, names.get(tag) ?? '', { kind, bucket, stored });
    }
  }
  return {
    totals: { tokens, cost, isPriced: unpriced === 0, use: useIn(models) },
    records,
  };
}

const counterName = /^(d_|f_|m[ncfiokrxud]|t[iokr]|u|x)([0-9a-z]*)(?:_(\d+))?$/;

const tokenOf = (kind: string) => tokenNames.find((name) => tokenLetters[name] === kind[1]) ?? 'input';

const addTo = (counts: SketchCounts, bucket: string, times: number) => {
  counts[bucket] = (counts[bucket] ?? 0) + times;
};

function addModel(
  models: Map<string, ModelUse & { unpriced: number }>,
  model: string,
  { kind, bucket, stored }: { kind: string; bucket: string; stored: unknown },
): void {
  const use = models.get(model) ?? {
    calls: 0,
    failed: 0,
    tokens: { ...noTokens },
    cost: '0',
    durations: {},
    unpriced: 0,
  };
  models.set(model, use);
  const value = Number(stored);
  if (kind === 'mc') use.calls += value;
  else if (kind === 'mf') use.failed += value;
  else if (kind === 'mx') use.unpriced += value;
  else if (kind === 'md') addTo(use.durations, bucket, value);
  else if (kind === 'mu')
    use.cost = new Big(use.cost ?? 0).plus(dollarsOf(new Big(String(stored)))).toFixed();
  else use.tokens[tokenOf(kind)] += value;
}

const useIn = (models: ReadonlyMap<string, ModelUse & { unpriced: number }>): RunUse =>
  Object.fromEntries(
    [...models].map(([model, { unpriced, ...use }]) => [model, unpriced > 0 ? { ...use, cost: null } : use]),
  );
