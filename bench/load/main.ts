import { readFileSync } from 'node:fs';
import { OperationError, printNote, runOperation } from '../../infra/operations/deployment/operation.ts';
import { createClient } from '../../packages/client/src/client.ts';
import type { Units } from '../costs/units.ts';
import { startBenchStack } from '../measure/stack.ts';
import { cleanUp } from './cleanup.ts';
import { type LoadMeasurement, meteredFetch } from './meter.ts';
import { type LoadPlan, parsePlan } from './plan.ts';
import { formatLoadReport, loadReport } from './report.ts';
import { scenarios } from './scenarios.ts';
import { sendAll } from './send.ts';

const progressMs = 1_000;
const rateLimitNote =
  'A key may send 1,000 requests an hour by default: RATE_LIMIT_PER_HOUR, on AWS -c rateLimitPerHour=…';

/** Sends a bounded load and prints a report. Ctrl-C ends it early, with the report. */
async function load(): Promise<void> {
  const plan = parsePlan(process.argv.slice(2), process.env);
  if (plan.target) return loadTarget(plan, plan.target);
  printNote('Starting a service in memory');
  await using stack = await startBenchStack({ metrics: true });
  await loadTarget(plan, { url: stack.facts.url, key: stack.facts.liveKey });
}

async function loadTarget(plan: LoadPlan, { url, key }: { url: string; key: string }): Promise<void> {
  const signal = interruption();
  const api = createClient({ baseUrl: url, apiKey: key });
  const measured: LoadMeasurement = { latencies: [], outcomes: {}, bytesReceived: 0, seconds: 0 };
  // Each request counts, so none is repeated.
  const metered = createClient({ baseUrl: url, apiKey: key, fetch: meteredFetch(measured), retries: 0 });
  const scenario = await scenarios[plan.scenario].prepare(api, plan.records).catch((cause) => {
    throw new OperationError(`${url} cannot be loaded: ${cause.message}`, { cause });
  });
  const shown = () => printNote(`${measured.latencies.length} of ${plan.requests} requests`);
  const ticker = setInterval(shown, progressMs);
  await sendAll((index) => scenario.send(metered, index), { ...plan, signal }, measured);
  clearInterval(ticker);
  const notes = measured.outcomes['429'] ? [rateLimitNote] : [];
  const settled = scenario
    .settle?.(api)
    .catch(({ message }) => `not known how the batches ended: ${message}`);
  if (settled) notes.push(await settled);
  const { flows, records } = scenario.created;
  const remaining = await cleanUp(api, scenario.created);
  const count = flows.length + records.length;
  notes.push(`deleted ${count - remaining.length} of ${count} flows and records`);
  const report = loadReport(plan, url, measured, units());
  process.stdout.write(
    plan.json
      ? `${JSON.stringify({ ...report, notes, remaining }, null, 2)}\n`
      : formatLoadReport(report, plan, [...notes, ...remaining]),
  );
}

/** Aborts at the first Ctrl-C. The second one ends the process. */
function interruption(): AbortSignal {
  const interrupt = new AbortController();
  const stop = () => {
    if (interrupt.signal.aborted) process.exit(130);
    printNote('Ending. Press Ctrl-C again to leave without cleaning up.');
    interrupt.abort();
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  return interrupt.signal;
}

const units = (): Units => JSON.parse(readFileSync(new URL('../costs/units.json', import.meta.url), 'utf8'));

await runOperation(load);
