import { fork } from 'node:child_process';
import { once } from 'node:events';
import { startModelStandIn } from '../../examples/model-stand-in.ts';
import { newId } from '../../shared/core/ids.ts';
import { modelConfigEntity } from '../../shared/domain/model-configs/model-account.ts';
import { runtimeOn, useTable } from '../http/warm-get.ts';
import { type Figure, printProgress, round } from '../measure/figure.ts';
import { type BenchStack, startBenchStack } from '../measure/stack.ts';
import type { Calls, CallsMade } from './throttle-caller.ts';

const processes = 3;
const tenant = 'user:bench';
const minuteMs = 60_000;
/** The first minute takes all that is free at once. */
const measuredMs = { near: 190_000, far: 40_000 };
const loads = [
  { perMinute: 60, workers: 4 },
  { perMinute: 600, workers: 6 },
  { perMinute: 6_000, workers: 16 },
];

/** How far three processes use the limit of a model config, as the model stand-in sees it, and what a call pays for that. */
export async function measureThrottle(): Promise<Figure[]> {
  const arrivals = new Map<string, number[]>();
  const models = await startModelStandIn({
    answer({ model }) {
      arrivals.set(model, [...(arrivals.get(model) ?? []), Date.now()]);
      return 'Hello';
    },
  });
  await using stack = await startBenchStack();
  const figures: Figure[] = [];
  try {
    for (const { perMinute, workers } of loads) {
      printProgress(`throttle: ${processes} processes, ${perMinute} calls a minute`);
      const id = newId('modelcfg');
      const began = Date.now();
      const made = await callsOf(stack, {
        modelsUrl: models.url,
        id,
        perMinute,
        workers,
        pauseMs: 20,
        ms: measuredMs.near,
      });
      figures.push(...nearFigures(perMinute, { began, at: arrivals.get(id) ?? [], made }));
    }
    printProgress('throttle: far from the limit');
    const far = { modelsUrl: models.url, id: newId('modelcfg'), perMinute: 6_000, workers: 2, pauseMs: 500 };
    const made = await callsOf(stack, { ...far, ms: measuredMs.far });
    figures.push({
      figure: 'throttle',
      what: 'write units a call far from the limit',
      value: round(made.writeUnits / made.calls),
      unit: 'units',
      goal: { atMost: 0.1 },
      details: { ...made },
    });
  } finally {
    await models.close();
  }
  return figures;
}

interface Seen {
  began: number;
  at: readonly number[];
  made: CallsMade;
}

function nearFigures(perMinute: number, { began, at, made }: Seen): Figure[] {
  const most = at.reduce((max, from, index) => {
    const end = at.findIndex((each) => each >= from + minuteMs);
    return Math.max(max, (end < 0 ? at.length : end) - index);
  }, 0);
  const measured = at.filter((each) => each >= began + minuteMs && each < began + measuredMs.near).length;
  const share = measured / ((perMinute * (measuredMs.near - minuteMs)) / minuteMs);
  const what = `of ${perMinute} calls a minute, by ${processes} processes`;
  return [
    {
      figure: 'throttle',
      what: `the most in any 60 seconds ${what}`,
      value: most,
      unit: 'calls',
      goal: { atMost: perMinute },
      details: { calls: at.length },
    },
    {
      figure: 'throttle',
      what: `the share ${what} that is used`,
      value: round(share),
      unit: '',
      goal: { atLeast: 0.9 },
      details: { writeUnitsPerCall: round(made.writeUnits / made.calls), writes: made.writes },
    },
  ];
}

interface Load extends Pick<Calls, 'modelsUrl' | 'workers' | 'pauseMs' | 'ms'> {
  id: string;
  perMinute: number;
}

async function callsOf({ facts }: BenchStack, { id, perMinute, ...load }: Load): Promise<CallsMade> {
  const { dynamodb } = facts.aws;
  useTable(dynamodb, facts.table);
  const { table } = runtimeOn(facts.table)().scopeOf(tenant);
  const at = new Date().toISOString();
  await table.commit([
    table.writes.insert(modelConfigEntity, {
      id,
      provider: 'generic-openai',
      modelId: 'limited',
      providerKeyId: null,
      settings: {},
      limits: { requestsPerMinute: perMinute },
      isEnabled: true,
      userId: 'bench',
      organizationId: null,
      createdAt: at,
      updatedAt: at,
    }),
  ]);
  const order: Calls = {
    dynamodb,
    table: facts.table,
    tenant,
    configId: id,
    requestsPerMinute: perMinute,
    ...load,
  };
  const all = await Promise.all(
    Array.from({ length: processes }, async () => {
      const child = fork(new URL('./throttle-caller.ts', import.meta.url));
      child.send(order);
      const [made] = (await once(child, 'message')) as [CallsMade];
      child.kill();
      return made;
    }),
  );
  const sum = (name: keyof CallsMade) => all.reduce((total, made) => total + made[name], 0);
  return { calls: sum('calls'), writeUnits: sum('writeUnits'), writes: sum('writes') };
}
