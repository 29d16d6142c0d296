import { setTimeout as sleep } from 'node:timers/promises';
import { runtimeOn, useTable } from '../http/warm-get.ts';
import { httpModel, ourRun, theirHttpModel, theirRun } from './agent-ways.ts';

/** What this process is to do. */
export interface Order {
  way: 'ours' | 'sdk';
  runs: number;
  modelsUrl: string;
  dynamodb: string;
  table: string;
}

export interface RunEndTimes {
  /** When each run ended, after the start of all. */
  milliseconds: number[];
  idleBytes: number;
  /** Over the idle process. */
  peakBytes: number;
}

const warmUpRuns = 10;
const sampledEveryMs = 2;

process.once('message', async (order: Order) => {
  useTable(order.dynamodb, order.table);
  const scope = runtimeOn(order.table)().scopeOf('user:bench');
  const run =
    order.way === 'ours'
      ? () => ourRun(scope, httpModel(order.modelsUrl))
      : () => theirRun(theirHttpModel(order.modelsUrl));
  for (let n = 0; n < warmUpRuns; n++) await run();
  process.send?.(await atOnce(run, order.runs));
});

async function atOnce(run: () => Promise<unknown>, runs: number): Promise<RunEndTimes> {
  const idleBytes = await idle();
  let peak = idleBytes;
  const sampler = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, sampledEveryMs);
  const began = performance.now();
  const milliseconds = await Promise.all(
    Array.from({ length: runs }, () => run().then(() => performance.now() - began)),
  );
  clearInterval(sampler);
  return { milliseconds, idleBytes, peakBytes: peak - idleBytes };
}

async function idle(): Promise<number> {
  const release = () => globalThis.gc?.({ execution: 'async', type: 'major', flavor: 'last-resort' });
  await release();
  await sleep(500);
  await release();
  return process.memoryUsage.rss();
}
