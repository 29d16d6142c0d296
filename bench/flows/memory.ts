import { type Figure, printProgress, round } from '../measure/figure.ts';
import { startBenchStack } from '../measure/stack.ts';
import { publishBenchFlow, runBatch, uploadFirstAirports } from './batch.ts';

const fewRecords = 300;

/** (f) Whether the stack's process, which runs all Lambdas, retains memory of processed records. */
export async function measureMemory(): Promise<Figure[]> {
  printProgress('f: memory after many records, against after few');
  await using stack = await startBenchStack();
  const flowId = await publishBenchFlow(stack.api, 'local');
  await uploadFirstAirports(stack.api, 'few', fewRecords);
  await runBatch(stack.api, flowId, 'few');
  const before = await stack.ask('memory');
  const records = await uploadFirstAirports(stack.api, 'many');
  await runBatch(stack.api, flowId, 'many');
  const after = await stack.ask('memory');
  const growth = (what: string, [few, many]: [number, number]): Figure => ({
    figure: 'f',
    what: `${what} after ${records} records over that after ${fewRecords}`,
    value: round(many / few),
    unit: 'times',
    goal: { atMost: 1.3 },
    details: { megabytes: [few, many].map((bytes) => round(bytes / 1_000_000, 1)) },
  });
  return [
    growth('memory that the process holds on to,', [before.heldRss, after.heldRss]),
    growth('memory of the process with its garbage and spare pages,', [before.rss, after.rss]),
  ];
}
