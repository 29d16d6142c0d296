import { type Figure, printProgress, round } from '../measure/figure.ts';
import { startBenchStack, startModelServer } from '../measure/stack.ts';
import { measureUse } from '../measure/use.ts';
import { publishBenchFlow, runBatch, uploadFirstAirports } from './batch.ts';

const items = 1_000;

/** (map) What a map of 1,000 items with one prompt costs an item, and how long it takes beside a batch of 1,000 records. */
export async function measureMap(): Promise<Figure[]> {
  printProgress('map: 1,000 items with one prompt, beside 1,000 records');
  using models = await startModelServer();
  await using stack = await startBenchStack({ modelsUrl: models.url });
  const [asMap, asRecords] = [
    await publishBenchFlow(stack.api, 'map'),
    await publishBenchFlow(stack.api, 'prompt'),
  ];
  await uploadFirstAirports(stack.api, 'one', 1);
  for (const type of ['warm-up', 'many']) await uploadFirstAirports(stack.api, type, items);
  const timed = async (flowId: string, type: string) => {
    let seconds = 0;
    const use = await measureUse(stack, items, async () => {
      const began = performance.now();
      await runBatch(stack.api, flowId, type, { recordConcurrency: 20 });
      seconds = (performance.now() - began) / 1_000;
    });
    return { ...use, seconds };
  };
  await timed(asRecords, 'warm-up');
  await timed(asMap, 'one');
  const ofRecords = await timed(asRecords, 'many');
  const ofMap = await timed(asMap, 'one');
  return [
    {
      figure: 'map',
      what: 'write requests of an item of a map with one prompt',
      value: ofMap.writeRequests,
      unit: 'requests',
      goal: { atMost: 0.3 },
      details: {
        writeUnits: ofMap.writeUnits,
        cpuMs: ofMap.cpuMs,
        ofRecord: {
          writeRequests: ofRecords.writeRequests,
          writeUnits: ofRecords.writeUnits,
          cpuMs: ofRecords.cpuMs,
        },
      },
    },
    {
      figure: 'map',
      what: 'time of 1,000 items beside that of 1,000 records, 20 at once',
      value: round(ofMap.seconds / ofRecords.seconds),
      unit: '×',
      goal: { atMost: 1 },
      details: { secondsOfMap: round(ofMap.seconds), secondsOfRecords: round(ofRecords.seconds) },
    },
  ];
}
