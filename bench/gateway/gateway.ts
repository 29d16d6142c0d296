import { type Figure, median, progress, round } from '../measure/figure.ts';
import { unlessMissing } from '../measure/install.ts';
import { startModels, startStack } from '../measure/stack.ts';
import { inFlight, quantile, type Way } from './in-flight.ts';
import { startPortkey } from './portkey.ts';

const atOnce = 50;
const requestsPerTurn = 1_000;
const warmUp = 300;
const turns = 5;
/** Of the model, so that 50 calls in flight do not only wait for the CPU. */
const delayMs = 300;

interface Measured {
  p50: number;
  p99: number;
  /** Of the gateway’s process, a request. */
  cpuMs: number;
}

interface Gateway {
  way: Way;
  /** Of its process; that of the direct way is not asked for. */
  cpuMs: () => Promise<number>;
}

/** What a call of a model through this service takes beyond a direct one, beside Portkey’s gateway, in turns. */
export const gateway = () => unlessMissing('gateway', measured);

async function measured(): Promise<Figure[]> {
  // A request gives its place back a moment after its answer.
  process.env.TENANT_OPEN_REQUESTS = String(2 * atOnce);
  using models = await startModels(undefined, { delayMs });
  await using portkey = await startPortkey(models.url);
  await using stack = await startStack({ modelsUrl: models.url });
  const ways: Record<'direct' | 'ours' | 'portkey', Gateway> = {
    direct: { way: { url: `${models.url}/chat/completions`, headers: {} }, cpuMs: async () => 0 },
    ours: {
      way: {
        url: `${stack.facts.url}/v1/openai/chat/completions`,
        headers: { authorization: `Bearer ${stack.facts.liveKey}` },
      },
      cpuMs: () => stack.ask('cpuMs'),
    },
    portkey,
  };
  // What they use ends with this function.
  return await figuresOf(ways);
}

async function figuresOf(ways: Record<'direct' | 'ours' | 'portkey', Gateway>): Promise<Figure[]> {
  const names = ['direct', 'ours', 'portkey'] as const;
  for (const name of names) await inFlight(ways[name].way, { count: warmUp, atOnce });
  const all = { direct: [] as Measured[], ours: [] as Measured[], portkey: [] as Measured[] };
  for (let turn = 0; turn < turns; turn++) {
    progress(`gateway: turn ${turn + 1} of ${turns}`);
    for (const name of turn % 2 === 0 ? names : names.toReversed()) all[name].push(await measure(ways[name]));
  }
  const of = (name: keyof typeof all, member: keyof Measured) =>
    median(all[name].map((each) => each[member]));
  const added = (name: 'ours' | 'portkey', member: 'p50' | 'p99') =>
    round(of(name, member) - of('direct', member), 2);
  const figure = (title: string, unit: string, ours: number, portkey: number): Figure => ({
    figure: 'gateway',
    what: `${title} of a chat completion through this service, beside Portkey’s gateway, ${atOnce} in flight`,
    value: ours,
    unit,
    goal: { atMost: portkey },
    details: { portkey, requests: requestsPerTurn * turns, modelMs: delayMs },
  });
  return [
    figure('added latency p50', 'ms', added('ours', 'p50'), added('portkey', 'p50')),
    figure('added latency p99', 'ms', added('ours', 'p99'), added('portkey', 'p99')),
    figure('CPU time', 'ms', round(of('ours', 'cpuMs'), 2), round(of('portkey', 'cpuMs'), 2)),
  ];
}

async function measure({ way, cpuMs }: Gateway): Promise<Measured> {
  const before = await cpuMs();
  const { whole } = await inFlight(way, { count: requestsPerTurn, atOnce });
  return {
    p50: quantile(whole, 0.5),
    p99: quantile(whole, 0.99),
    cpuMs: ((await cpuMs()) - before) / requestsPerTurn,
  };
}
