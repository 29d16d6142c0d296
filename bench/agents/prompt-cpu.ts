import { request } from 'undici';
import { modelPorts } from '../../shared/adapters/models/model-ports.ts';
import type { Ports } from '../../shared/adapters/ports/ports.ts';
import type { FlowStep } from '../../shared/domain/flows/steps/step.ts';
import { runFlow } from '../../shared/execution/engine/engine.ts';
import { type Figure, median, printProgress, round } from '../measure/figure.ts';
import { startModelServer } from '../measure/stack.ts';

const rounds = 40;
const warmUpRounds = 10;
const callsPerRound = 50;
const question = 'Say something about the weather in Oslo tomorrow';

const steps: FlowStep[] = [
  {
    id: 'step_1',
    type: 'prompt',
    name: 'Ask',
    order: 0,
    enabled: true,
    config: { model: 'generic-openai/any', userPrompt: question },
  },
];

/** (r) The CPU time of a prompt step beyond a bare request of the same answer. */
export async function measurePromptCpu(): Promise<Figure[]> {
  using models = await startModelServer();
  const figures: Figure[] = [];
  for (const streamed of [false, true]) {
    const what = streamed ? 'streamed' : 'unstreamed';
    printProgress(`r: CPU of a prompt step, ${what}, against a bare request`);
    const ways = waysOf(models.url, streamed);
    const samples: Record<keyof typeof ways, number>[] = [];
    for (let round = 0; round < warmUpRounds + rounds; round++) {
      const sample = { step: 0, port: 0, undici: 0, fetch: 0 };
      for (const way of alternating(Object.keys(ways) as (keyof typeof ways)[], round)) {
        sample[way] = await cpuMsPerCall(ways[way]);
      }
      if (round >= warmUpRounds) samples.push(sample);
    }
    const of = (value: (sample: (typeof samples)[number]) => number) => round(median(samples.map(value)));
    figures.push({
      figure: 'r',
      what: `CPU time of a prompt step, ${what}, beyond a bare undici request of the same answer`,
      value: of(({ step, undici }) => step - undici),
      unit: 'ms',
      goal: { atMost: 1.5 },
      details: {
        stepMs: of(({ step }) => step),
        portMs: of(({ port }) => port),
        undiciMs: of(({ undici }) => undici),
        fetchMs: of(({ fetch }) => fetch),
        rounds,
        callsPerRound,
      },
    });
  }
  return figures;
}

/** Alternates the order, so that no way always pays for the garbage of another. */
const alternating = <T>(items: readonly T[], round: number) => (round % 2 === 0 ? items : items.toReversed());

/** The ways to get the same answer. */
function waysOf(url: string, streamed: boolean) {
  const ports = modelPorts(async (modelId) => ({
    provider: 'generic-openai',
    modelId,
    keySource: 'platform',
    credentials: { baseUrl: url },
  }));
  const signal = new AbortController().signal;
  const messages = [{ role: 'user' as const, content: question }];
  const post = {
    method: 'POST' as const,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'any', messages, stream: streamed }),
  };
  return {
    step: () => runSteps(testPorts(ports), streamed),
    port: () => Array.fromAsync(ports.model.stream({ model: 'any', messages, streamed, signal })),
    undici: async () => JSON.stringify(await (await request(`${url}/chat/completions`, post)).body.text()),
    fetch: async () => JSON.stringify(await (await fetch(`${url}/chat/completions`, post)).text()),
  };
}

/** What a prompt without tools asks of its ports. */
const testPorts = (ports: Pick<Ports, 'model' | 'embed'>): Ports =>
  ({
    ...ports,
    now: () => new Date(),
    tools: { find: async () => [] },
    warn: () => {},
    shown: (text: string) => text,
  }) as unknown as Ports;

async function runSteps(ports: Ports, streamed: boolean): Promise<void> {
  const signal = new AbortController().signal;
  const onStepEvent = streamed ? () => {} : undefined;
  const outcome = await runFlow({ steps, variables: {}, ports, signal, onStepEvent });
  if (!('end' in outcome) || !outcome.end.success) throw new Error(JSON.stringify(outcome));
}

async function cpuMsPerCall(call: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  for (let n = 0; n < callsPerRound; n++) await call();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / callsPerRound;
}
