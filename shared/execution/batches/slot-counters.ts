import { createHash } from 'node:crypto';
import Big from 'big.js';
import * as z from 'zod';
import { timeMsFromId } from '../../core/ids.ts';
import { warningCounts } from '../../core/warnings.ts';
import { toCostUnits } from '../../domain/model-usage/cost-units.ts';
import { hourMs } from '../../domain/runs/hours.ts';
import { noTotals, plusTotals, type RunTotals } from '../../domain/runs/run-totals.ts';
import type { RunTokens } from '../../domain/runs/run-use.ts';
import { durationBucket } from '../../domain/runs/sketch.ts';

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

export const tokenLetters = { input: 'i', output: 'o', cachedInput: 'k', reasoning: 'r' } as const;
export const tokenNames = Object.keys(tokenLetters) as (keyof RunTokens)[];

/** What the records of a slot add to its item. */
export function slotCounters(
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
    if (!cost.eq(0)) add[name] = new Big(add[name] ?? 0).plus(toCostUnits(cost)).toFixed();
  };
  const hour = windowOf(batchId, now).toString(36);
  for (const { failed, durationMs, isCounted } of ended) {
    if (!isCounted) continue;
    plus(`d_${hour}_${durationBucket(durationMs)}`, 1);
    if (failed) plus(`f_${hour}`, 1);
  }
  const { tokens, cost, saved, cacheSavings, use } = ended
    .map(({ totals }) => totals)
    .reduce(plusTotals, noTotals);
  for (const name of tokenNames) plus(`t${tokenLetters[name]}`, tokens[name]);
  plusUnits('u', cost);
  plusUnits('s', saved);
  plusUnits('v', cacheSavings);
  const warned = warningCounts(ended.flatMap(({ totals: { warnings } }) => warnings));
  for (const [code, count] of Object.entries(warned)) plus(`w_${code}`, count);
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

const exactHours = 6;

/**
 * The hour, since 1970, in which a record counts. After six hours of its batch the first of a window of six, so that the item
 * of a slot stays small.
 */
function windowOf(batchId: string, now: Date): number {
  const hour = Math.floor(now.getTime() / hourMs);
  const first = Math.floor(timeMsFromId(batchId) / hourMs);
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
