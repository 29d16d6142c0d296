import type { FlowStep } from '../../domain/flows/steps/step.ts';
import { computeDeviation, type ForecastStep, mean } from './step-forecasts.ts';

interface Cost {
  expected: number;
  p95: number;
  /** Null if nothing limits it. */
  max: number | null;
}

export interface Forecast {
  records: number;
  sampled: number;
  steps: {
    stepId: string;
    name: string;
    type: string;
    calls: { expected: number; max: number };
    reused: number;
    tokens: { input: number; output: number };
    /** Null without a price. */
    cost: Cost | null;
    basis: 'history' | 'bounds' | 'none';
  }[];
  cost: Cost | null;
  saved: number;
  durationSeconds: { expected: number; p95: number };
  notes: string[];
}

/** 95 % of a normal distribution are below its mean and so many of its standard deviations. */
const quantile = 1.645;

export interface Walked {
  total: number;
  /** By record. */
  records: readonly (readonly ForecastStep[])[];
  /** Of each record that was not walked. */
  others: readonly ForecastStep[];
}

/** The costs of all records, of one step. */
export function toStepTotal(
  { id, name, type }: FlowStep,
  { total, records, others }: Walked,
): Forecast['steps'][number] {
  const factor = total / Math.max(1, records.length);
  const ofRecords = records.map((steps) => steps.filter(({ stepId }) => stepId === id));
  const all = ofRecords.flat();
  const expected = all.flatMap((each) => each.expected ?? []);
  const rest = total - records.length;
  const bounds = [
    ...all.map(({ max }) => ({ max, times: 1 })),
    ...(rest > 0 ? others.filter(({ stepId }) => stepId === id) : []).map(({ max }) => ({
      max,
      times: rest,
    })),
  ];
  const calls = {
    expected: round(expected.length * factor),
    max: sum(bounds.map(({ max, times }) => max.calls * times)),
  };
  const tokens = {
    input: round(sum(expected.map(({ input }) => input)) * factor),
    output: round(sum(expected.map(({ output }) => output)) * factor),
  };
  const basis =
    expected.find((each) => each.basis !== 'history')?.basis ?? (expected[0] ? 'history' : 'none');
  const costs = expected.map(({ cost }) => cost);
  const facts = {
    stepId: id,
    name,
    type,
    calls,
    reused: round(all.filter(({ isReused }) => isReused).length * factor),
    tokens,
  };
  if (costs.includes(null) || records.length === 0) return { ...facts, cost: null, basis };
  const one = sum(costs as number[]);
  // What a history shows of one call varies by chance; what limits leave open is the same of all calls.
  const spreads = expected.map(({ spread }) => spread);
  const perRecord = ofRecords.map((steps) => sum(steps.map((each) => each.expected?.cost ?? 0)));
  const ofSample = rest > 0 ? (total * computeDeviation(perRecord)) / Math.sqrt(records.length) : 0;
  const byChance =
    mean(spreads) * (basis === 'history' ? Math.sqrt(expected.length * factor) : expected.length * factor);
  const max = bounds.some(({ max }) => max.cost === null)
    ? null
    : sum(bounds.map(({ max, times }) => (max.cost ?? 0) * times));
  const p95 = one * factor + quantile * Math.hypot(byChance, ofSample);
  return { ...facts, cost: { expected: one * factor, p95: Math.min(p95, max ?? p95), max }, basis };
}

export function sumCosts(steps: Forecast['steps']): Cost | null {
  const costs = steps.map(({ cost }) => cost);
  if (costs.includes(null)) return null;
  const costsOfSteps = costs as Cost[];
  const expected = sum(costsOfSteps.map((cost) => cost.expected));
  const max = costsOfSteps.reduce(
    (total: number | null, cost) => (total === null || cost.max === null ? null : total + cost.max),
    0,
  );
  const p95 = expected + Math.hypot(...costsOfSteps.map((cost) => cost.p95 - cost.expected));
  return { expected, p95: Math.min(p95, max ?? p95), max };
}

/** How long the records take, so many at a time. */
export function estimateBatchSeconds(
  { total, records }: Walked,
  concurrency: number,
): Forecast['durationSeconds'] {
  const seconds = records.map((steps) => sum(steps.map(({ expected }) => expected?.seconds ?? 0)));
  const atOnce = Math.max(1, Math.min(concurrency, total));
  const expected = Math.max(mean(seconds), (mean(seconds) * total) / atOnce);
  const varies = computeDeviation(seconds) * quantile * Math.max(1, Math.sqrt(total) / atOnce);
  // The steps of one record vary about as much as they take.
  return { expected, p95: expected + varies + mean(seconds) };
}

const round = (value: number) => Math.round(value);
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
