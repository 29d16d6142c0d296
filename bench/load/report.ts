import { priceOfMillionRequests, priceOfMillionRuns, totalUsd } from '../costs/price.ts';
import type { Units } from '../costs/units.ts';
import { prices } from '../measure/prices.ts';
import type { LoadMeasurement } from './meter.ts';
import type { LoadPlan } from './plan.ts';
import { type ScenarioName, scenarios } from './scenarios.ts';

export interface Report {
  scenario: ScenarioName;
  url: string;
  requests: number;
  planned: number;
  seconds: number;
  perSecond: number;
  /** In ms. */
  latency: { p50: number; p95: number; p99: number; max: number } | null;
  outcomes: Record<string, number>;
  throttled: number;
  failed: number;
  bytesReceived: number;
  /** What the load would cost on AWS, in USD. */
  estimatedUsd: number;
}

export function loadReport(plan: LoadPlan, url: string, measured: LoadMeasurement, units: Units): Report {
  const { scenario, requests: planned, records } = plan;
  const { latencies, outcomes, bytesReceived, seconds } = measured;
  const requests = latencies.length;
  const countOf = (wanted: (outcome: string) => boolean) =>
    Object.entries(outcomes).reduce((sum, [outcome, count]) => sum + (wanted(outcome) ? count : 0), 0);
  return {
    scenario,
    url,
    requests,
    planned,
    seconds: round(seconds),
    perSecond: round(requests / seconds),
    latency: requests > 0 ? latencyOf(latencies) : null,
    outcomes,
    bytesReceived,
    throttled: countOf((outcome) => outcome === '429'),
    failed: countOf((outcome) => !/^[24]\d\d$/.test(outcome)),
    estimatedUsd: (millionthsOf(scenario, records, units) * requests) / 1_000_000,
  };
}

/** The nearest rank: a value that was measured. */
function latencyOf(latencies: readonly number[]) {
  const sorted = latencies.toSorted((one, other) => one - other);
  const at = (share: number) => round(sorted[Math.ceil(share * sorted.length) - 1] ?? 0);
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) };
}

function millionthsOf(scenario: ScenarioName, records: number, { requests, records: runs }: Units): number {
  if (scenario !== 'run') return totalUsd(priceOfMillionRequests(requests[scenario]));
  return (
    totalUsd(priceOfMillionRequests(requests.write)) + records * totalUsd(priceOfMillionRuns(runs.local))
  );
}

const round = (value: number) => Number(value.toFixed(1));

/** @param notes What else to tell, one line each. */
export function formatLoadReport(report: Report, plan: LoadPlan, notes: readonly string[]): string {
  const { latency, outcomes, estimatedUsd } = report;
  const since =
    'rate' in plan.pace
      ? 'from the planned time of each request'
      : 'from the sending: each sender waits for its response, which hides stalls';
  const rows = [
    ['requests', `${report.requests} of ${report.planned} in ${report.seconds} s, ${report.perSecond}/s`],
    [
      'latency',
      latency
        ? `p50 ${latency.p50}  p95 ${latency.p95}  p99 ${latency.p99}  max ${latency.max} ms, ${since}`
        : 'no requests',
    ],
    [
      'outcomes',
      Object.entries(outcomes)
        .map(([outcome, count]) => `${outcome}: ${count}`)
        .join(', '),
    ],
    ['throttled', `${report.throttled} (429)`],
    ['failed', `${report.failed} (5xx and network errors)`],
    ['received', `${report.bytesReceived.toLocaleString('en-US')} bytes`],
    [
      'cost',
      `${estimatedUsd.toFixed(5)} USD on AWS in ${prices.region}, by docs/costs.md, without models and free tiers`,
    ],
    ...notes.map((note) => ['', note]),
  ];
  const lines = rows.map(([name = '', text]) => `${name.padEnd(10)} ${text}`);
  return `\n${plan.scenario} (${scenarios[plan.scenario].what}) at ${report.url}\n${lines.join('\n')}\n`;
}
