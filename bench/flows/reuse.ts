import { type Figure, printProgress, round } from '../measure/figure.ts';
import { startBenchStack, startModelServer } from '../measure/stack.ts';
import { measureUse } from '../measure/use.ts';
import { publishBenchFlow, runBatch, uploadFirstAirports } from './batch.ts';
import { cpuOfHashes, cpuOfLookup, reuseGoals as goals, unitsOfHashes } from './reuse-parts.ts';

const records = 500;

/** (reuse) What the hash of requests, and the look-up of earlier results, add to a record of three prompts. */
export async function measureReuse(): Promise<Figure[]> {
  printProgress('reuse: what the hash and the look-up of results add to a record');
  using models = await startModelServer();
  await using stack = await startBenchStack({ modelsUrl: models.url });
  const flowId = await publishBenchFlow(stack.api, 'prompts');
  for (const type of ['warm-up', 'plain', 'fresh']) await uploadFirstAirports(stack.api, type, records);
  const use = (type: string, options = {}) =>
    measureUse(stack, records, () => runBatch(stack.api, flowId, type, options));
  await use('warm-up');
  const plain = await use('plain');
  const looking = await use('fresh', { reuse: 'unchanged' });
  const reusing = await use('plain', { reuse: 'unchanged' });
  return [
    await cpuOfHashes(stack, flowId),
    await unitsOfHashes(stack),
    await cpuOfLookup(stack, flowId),
    {
      figure: 'reuse',
      what: 'write units that the look-up of results adds to a record of three prompts',
      value: round(looking.writeUnits - plain.writeUnits),
      unit: 'units',
      goal: goals.units,
      details: {
        readUnits: round(looking.readUnits - plain.readUnits),
        cpuMsOfRun: { plain: plain.cpuMs, looking: looking.cpuMs, reusing: reusing.cpuMs },
        writeUnitsOfRun: {
          plain: plain.writeUnits,
          looking: looking.writeUnits,
          reusing: reusing.writeUnits,
        },
        records,
      },
    },
  ];
}
