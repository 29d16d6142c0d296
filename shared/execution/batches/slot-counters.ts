/**
 * The format of the counters that a slot's item accumulates: written by `toSlotCounters` for each commit, summed by
 * `sumSlotTotals`.
 * The item of a slot has one writer at a time, and each commit adds the counters of its ended records in the transaction
 * of their last checkpoints (`group-commit.ts`): a record counts exactly once, even if its message is delivered again.
 * Costs are integers of 10^-15 USD in strings, since DynamoDB adds exactly; names are short, since every commit pays for
 * the bytes of the item.
 * Names of an earlier release stay readable: `cost` in USD is added to `u`.
 */
import { createHash } from 'node:crypto';
import Big from 'big.js';
import * as z from 'zod';
import { noSpending } from '../../adapters/ports/spending.ts';
import { getIdTimeMs } from '../../core/ids.ts';
import {
  countWarnings,
  isWarningCode,
  mergeWarnings,
  toCountedWarning,
  type Warning,
} from '../../core/warnings.ts';
import { toCostUnits, toDollars } from '../../domain/model-usage/cost-units.ts';
import { hourMs } from '../../domain/runs/hour-marks.ts';
import { type RecordsOfHour, toHour } from '../../domain/runs/run.ts';
import {
  addTotals,
  type ModelSpending,
  noTotals,
  parseModelUse,
  type RunTotals,
  toModelUse,
} from '../../domain/runs/run-use.ts';
import { durationBucket, type SketchCounts } from '../../domain/runs/sketch.ts';

/** A record that has ended, as its slot counts it. */
export interface CountedRecord {
  failed: boolean;
  durationMs: number;
  totals: RunTotals;
  /** Whether it is one of the processed records. If not, only what it took is counted. */
  isCounted: boolean;
}

/**
 * Counters with short names, since every commit of a slot pays for its item: `ti` to `tr` tokens, `u` cost, `s` saved cost and `v` savings of caches in
 * units of 10^-15 USD, `w_<code>` warnings, `x` records with a call without a price, `f_<hour>` failed records, `d_<hour>_<bucket>` durations. Of a model, after
 * four hex digits of its hash: `mn…` its name, `mc…` calls, `mf…` failed, `mi…` to `mr…` tokens, `mu…` cost, `mx…` calls
 * without a price, `md…_<bucket>` durations.
 */
type Counters = Record<string, number | string>;

const tokenLetters = {
  inputTokens: 'i',
  outputTokens: 'o',
  cachedInputTokens: 'k',
  reasoningTokens: 'r',
} as const;
const tokenNames = Object.keys(tokenLetters) as (keyof typeof tokenLetters)[];

/** What the records of a slot add to its item. */
export function toSlotCounters(
  batchId: string,
  ended: readonly CountedRecord[],
  now: Date,
): { add: Record<string, number | string>; setOnce: Record<string, string> } {
  const add: Counters = {};
  const setOnce: Record<string, string> = {};
  const addCount = (name: string, count: number) => {
    if (count > 0) add[name] = Number(add[name] ?? 0) + count;
  };
  const addUnits = (name: string, cost: Big) => {
    if (!cost.eq(0)) add[name] = new Big(add[name] ?? 0).plus(toCostUnits(cost)).toFixed();
  };
  const hour = toWindowHour(batchId, now).toString(36);
  for (const { failed, durationMs, isCounted } of ended) {
    if (!isCounted) continue;
    addCount(`d_${hour}_${durationBucket(durationMs)}`, 1);
    if (failed) addCount(`f_${hour}`, 1);
  }
  const sum = ended.map(({ totals }) => totals).reduce(addTotals, noTotals);
  for (const name of tokenNames) addCount(`t${tokenLetters[name]}`, sum[name]);
  addUnits('u', sum.cost);
  addUnits('s', sum.saved);
  addUnits('v', sum.cacheSavings);
  const warned = countWarnings(ended.flatMap(({ totals: { warnings } }) => warnings));
  for (const [code, count] of Object.entries(warned)) addCount(`w_${code}`, count);
  addCount('x', ended.filter(({ totals }) => totals.unpriced > 0).length);
  for (const [model, use] of Object.entries(sum.use)) {
    const of = parseModelUse(use);
    const tag = createHash('sha256').update(model).digest('hex').slice(0, 4);
    setOnce[`mn${tag}`] = model;
    addCount(`mc${tag}`, of.calls);
    addCount(`mf${tag}`, of.failed);
    for (const name of tokenNames) addCount(`m${tokenLetters[name]}${tag}`, of[name]);
    addCount(`mx${tag}`, of.unpriced);
    addUnits(`mu${tag}`, of.cost);
    for (const [bucket, times] of Object.entries(of.durations)) addCount(`md${tag}_${bucket}`, times);
  }
  return { add, setOnce };
}

const exactHours = 6;

/**
 * The hour, since 1970, in which a record counts. After six hours of its batch the first of a window of six, so that the item
 * of a slot stays small.
 */
function toWindowHour(batchId: string, now: Date): number {
  const hour = Math.floor(now.getTime() / hourMs);
  const first = Math.floor(getIdTimeMs(batchId) / hourMs);
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
  /** By hour. */
  records: Record<string, RecordsOfHour>;
}

interface Sums {
  totals: RunTotals;
  warnings: Warning[];
  hours: Map<string, RecordsOfHour>;
  models: Map<string, ModelSpending>;
}

/** A counter: what it counts, the hour or the hash of the model, and the bucket of a duration. */
const counterName =
  /^(?:([df])_([0-9a-z]+)(?:_(\d+))?|m([a-z])([0-9a-f]{4})(?:_(\d+))?|t([iokr])|([usvx])|w_([A-Z_]+))$/;

export function sumSlotTotals(slots: readonly SlotItem[]): SlotTotals {
  const sums: Sums = { totals: { ...noTotals }, warnings: [], hours: new Map(), models: new Map() };
  for (const slot of slots) addSlot(sums, slot);
  const { totals, warnings, hours, models } = sums;
  const use = Object.fromEntries([...models].map(([model, spending]) => [model, toModelUse(spending)]));
  return {
    totals: { ...totals, use, warnings: mergeWarnings(warnings) },
    records: Object.fromEntries(hours),
  };
}

/** How often each warning was counted. */
export const sumSlotWarnings = (slots: readonly SlotItem[]) =>
  countWarnings(
    slots.flatMap((slot) =>
      Object.entries(slot).flatMap(([name, stored]) => {
        const code = name.startsWith('w_') ? name.slice(2) : undefined;
        return isWarningCode(code) ? [toCountedWarning(code, Number(stored))] : [];
      }),
    ),
  );

/** In USD, without reading the other counters. */
export const sumSlotCosts = (slots: readonly SlotItem[]): Big =>
  slots.reduce((sum, { cost, u = 0 }) => sum.plus(cost).plus(parseDollars(u)), new Big(0));

function addSlot(sums: Sums, slot: SlotItem): void {
  const { totals, warnings } = sums;
  totals.cost = totals.cost.plus(slot.cost);
  for (const [name, stored] of Object.entries(slot)) {
    const found = counterName.exec(name);
    if (!found) continue;
    const [, ofHour, hour = '', bucket, ofModel, tag, modelBucket, token, ofAll, warned] = found;
    if (ofHour) addHour(sums, hour, bucket, Number(stored));
    else if (ofModel && ofModel !== 'n')
      addModel(sums, String(slot[`mn${tag}`]), ofModel, stored, modelBucket);
    else if (token) totals[toTokenName(token)] += Number(stored);
    else if (ofAll === 'u') totals.cost = totals.cost.plus(parseDollars(stored));
    else if (ofAll === 's') totals.saved = totals.saved.plus(parseDollars(stored));
    else if (ofAll === 'v') totals.cacheSavings = totals.cacheSavings.plus(parseDollars(stored));
    else if (ofAll === 'x') totals.unpriced += Number(stored);
    else if (isWarningCode(warned)) warnings.push(toCountedWarning(warned, Number(stored)));
  }
}

/** @param bucket Of a duration; without it the count is of failed records, which have durations too. */
function addHour({ hours }: Sums, tag: string, bucket: string | undefined, times: number): void {
  const name = toHour(new Date(Number.parseInt(tag, 36) * hourMs).toISOString());
  const hour = hours.get(name) ?? { completed: 0, failed: 0, durations: {} };
  hours.set(name, hour);
  hour.completed += bucket === undefined ? -times : times;
  if (bucket === undefined) hour.failed += times;
  else incrementBucket(hour.durations, bucket, times);
}

function addModel({ models }: Sums, model: string, kind: string, stored: unknown, bucket = ''): void {
  const use = models.get(model) ?? { ...noSpending, calls: 0, failed: 0, durations: {} };
  models.set(model, use);
  if (kind === 'c') use.calls += Number(stored);
  else if (kind === 'f') use.failed += Number(stored);
  else if (kind === 'x') use.unpriced += Number(stored);
  else if (kind === 'd') incrementBucket(use.durations, bucket, Number(stored));
  else if (kind === 'u') use.cost = use.cost.plus(parseDollars(stored));
  else use[toTokenName(kind)] += Number(stored);
}

const parseDollars = (stored: unknown) => toDollars(new Big(String(stored)));

const toTokenName = (letter: string) =>
  tokenNames.find((name) => tokenLetters[name] === letter) ?? 'inputTokens';

const incrementBucket = (counts: SketchCounts, bucket: string, times: number) => {
  counts[bucket] = (counts[bucket] ?? 0) + times;
};
