import { type Figure, median, printProgress, round } from '../measure/figure.ts';
import { unlessMissing } from '../measure/install.ts';
import { startBenchStack, startModelServer } from '../measure/stack.ts';
import { type CompletionRoute, inFlight, quantile } from './in-flight.ts';
import { startLiteLlm } from './litellm.ts';
import { startPortkey } from './portkey.ts';

const atOnce = 50;
const requestsPerTurn = 1_000;
const warmUp = 300;
const turns = 5;
/** Of the model, so that 50 calls in flight do not only wait for the CPU. */
const delayMs = 300;

const names = ['direct', 'ours', 'peer'] as const;
type Name = (typeof names)[number];

interface Measured {
  p50: number;
  p99: number;
  /** Of the gateway’s process, a request. */
  cpuMs: number;
}

interface Gateway {
  way: CompletionRoute;
  /** Of its process; that of the direct way is not asked for. */
  cpuMs: () => Promise<number>;
}

export type PeerGateway = Gateway & AsyncDisposable;

const peers = { Portkey: startPortkey, LiteLLM: startLiteLlm };

/** What a call of a model through this service takes beyond a direct one, beside other gateways, in turns. */
export async function measureGateway(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const name of Object.keys(peers) as (keyof typeof peers)[])
    figures.push(...(await unlessMissing(`gateway beside ${name}`, () => measured(name))));
  return figures;
}

async function measured(peerName: keyof typeof peers): Promise<Figure[]> {
  // A request gives its place back a moment after its answer.
  process.env.TENANT_OPEN_REQUESTS = String(2 * atOnce);
  using models = await startModelServer(undefined, { delayMs });
  await using peer = await peers[peerName](models.url);
  await using stack = await startBenchStack({ modelsUrl: models.url });
  const ways: Record<Name, Gateway> = {
    direct: { way: { url: `${models.url}/chat/completions`, headers: {} }, cpuMs: async () => 0 },
    ours: {
      way: {
        url: `${stack.facts.url}/v1/openai/chat/completions`,
        headers: { authorization: `Bearer ${stack.facts.liveKey}` },
      },
      cpuMs: () => stack.ask('cpuMs'),
    },
    peer,
  };
  // What they use ends with this function.
  return await figuresOf(ways, peerName);
}

async function figuresOf(ways: Record<Name, Gateway>, peerName: string): Promise<Figure[]> {
  for (const name of names) await inFlight(ways[name].way, { count: warmUp, atOnce });
  const all: Record<Name, Measured[]> = { direct: [], ours: [], peer: [] };
  for (let turn = 0; turn < turns; turn++) {
    printProgress(`gateway beside ${peerName}: turn ${turn + 1} of ${turns}`);
    for (const name of turn % 2 === 0 ? names : names.toReversed()) all[name].push(await measure(ways[name]));
  }
  const of = (name: Name, member: keyof Measured) => median(all[name].map((each) => each[member]));
  const added = (name: 'ours' | 'peer', member: 'p50' | 'p99') =>
    round(of(name, member) - of('direct', member), 2);
  const figure = (title: string, unit: string, ours: number, theirs: number): Figure => ({
    figure: 'gateway',
    what: `${title} of a chat completion through this service, beside ${peerName}, ${atOnce} in flight`,
    value: ours,
    unit,
    goal: { atMost: theirs },
    details: { [peerName]: theirs, requests: requestsPerTurn * turns, modelMs: delayMs },
  });
  return [
    figure('added latency p50', 'ms', added('ours', 'p50'), added('peer', 'p50')),
    figure('added latency p99', 'ms', added('ours', 'p99'), added('peer', 'p99')),
    figure('CPU time', 'ms', round(of('ours', 'cpuMs'), 2), round(of('peer', 'cpuMs'), 2)),
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
