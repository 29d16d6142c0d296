import { fork } from 'node:child_process';
import { once } from 'node:events';
import { type Figure, median, printProgress, round } from '../measure/figure.ts';
import { agentModels, type BenchStack, startBenchStack, startModelServer } from '../measure/stack.ts';
import type { Order, RunEndTimes } from './agents-at-once-child.ts';

const runs = 100;
const turns = 3;
/** Of the model, so that all runs are under way together. */
const delayMs = 300;

/** (u) A hundred runs of agents at once in one process: memory and fairness, against the AI SDK's loop. */
export async function measureAgentsAtOnce(): Promise<Figure[]> {
  printProgress(`u: ${runs} runs of agents at once in one process, against the tool loop of the AI SDK`);
  using models = await startModelServer(agentModels, { delayMs });
  await using stack = await startBenchStack();
  const samples: { ours: RunEndTimes; sdk: RunEndTimes }[] = [];
  for (let turn = 0; turn < turns; turn++) {
    const orderFor = (way: Order['way']) => runAll(stack, { way, runs, modelsUrl: models.url });
    samples.push({ ours: await orderFor('ours'), sdk: await orderFor('sdk') });
  }
  const of = (value: (sample: (typeof samples)[number]) => number, digits = 2) =>
    round(median(samples.map(value)), digits);
  return [
    {
      figure: 'u',
      what: `peak memory over that of the idle process, for each of ${runs} runs at once, as a multiple of the AI SDK’s loop`,
      value: of(({ ours, sdk }) => ours.peakBytes / sdk.peakBytes),
      unit: 'times',
      goal: { atMost: 1.5 },
      details: {
        oursKb: of(({ ours }) => ours.peakBytes / runs / 1_000, 0),
        aiSdkKb: of(({ sdk }) => sdk.peakBytes / runs / 1_000, 0),
        oursIdleMb: of(({ ours }) => ours.idleBytes / 1_000_000, 0),
        aiSdkIdleMb: of(({ sdk }) => sdk.idleBytes / 1_000_000, 0),
        turns,
      },
    },
    {
      figure: 'u',
      what: `time of the slowest of ${runs} runs at once, as a multiple of the fastest`,
      value: of(({ ours }) => spreadOf(ours)),
      unit: 'times',
      goal: { atMost: 3 },
      details: {
        aiSdk: of(({ sdk }) => spreadOf(sdk)),
        ...timesOf('ours', ({ ours }) => ours),
        ...timesOf('aiSdk', ({ sdk }) => sdk),
      },
    },
  ];

  function timesOf(name: string, way: (sample: (typeof samples)[number]) => RunEndTimes) {
    return {
      [`${name}FastestMs`]: of((sample) => Math.min(...way(sample).milliseconds), 0),
      [`${name}MedianMs`]: of((sample) => median(way(sample).milliseconds), 0),
      [`${name}SlowestMs`]: of((sample) => Math.max(...way(sample).milliseconds), 0),
    };
  }
}

const spreadOf = ({ milliseconds }: RunEndTimes) => Math.max(...milliseconds) / Math.min(...milliseconds);

/** In a fresh process: memory that an earlier turn has left would hide the growth. */
async function runAll({ facts }: BenchStack, order: Omit<Order, 'dynamodb' | 'table'>): Promise<RunEndTimes> {
  const child = fork(new URL('./agents-at-once-child.ts', import.meta.url), {
    execArgv: ['--expose-gc'],
    serialization: 'advanced',
  });
  child.send({ ...order, dynamodb: facts.aws.dynamodb, table: facts.table } satisfies Order);
  const exit = once(child, 'exit').then(([code]) => {
    throw new Error(`The runs ended with ${code}`);
  });
  const [ended] = await Promise.race([once(child, 'message'), exit]);
  child.disconnect();
  return ended;
}
