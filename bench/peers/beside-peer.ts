import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { publishBenchFlow, runBatch, uploadFirstAirports } from '../flows/batch.ts';
import { type Figure, median, printProgress, round } from '../measure/figure.ts';
import { unlessMissing } from '../measure/install.ts';
import { startBenchStack, startModelServer } from '../measure/stack.ts';
import { measureRate, type Peer, preparePeerFolder, width } from './peer.ts';

const turns = 3;

/** How many times as many records a second we are to run. */
interface Goals {
  local: number;
  model?: number;
}

const modelDelayMs = 20;

/** Records a second of flows of three steps, ours on disk and the peer's in turns. Nothing if the peer cannot run here. */
export const besidePeer = (peer: Peer, goals: Goals) => () =>
  unlessMissing(peer.name, () => figuresOf(peer, goals));

async function figuresOf(peer: Peer, goals: Goals): Promise<Figure[]> {
  const folder = await preparePeerFolder(peer);
  const stop = await peer.start(folder);
  try {
    using models = await startModelServer(undefined, { delayMs: modelDelayMs });
    const local = await ratesInTurns(peer, 'local', { models, run: () => measureRate(folder, 'bench.mjs') });
    const figures = [figureOf(peer, 'three local steps', local, goals.local)];
    const { modelProgram: program } = peer;
    if (!program || goals.model === undefined) return figures;
    const run = () => measureRate(folder, program, models.url);
    const rates = await ratesInTurns(peer, 'model', { models, run });
    const what = `three steps, one with a model call of ${modelDelayMs} ms`;
    return [...figures, figureOf(peer, what, rates, goals.model)];
  } finally {
    await stop();
  }
}

type Rates = Awaited<ReturnType<typeof ratesInTurns>>;

const figureOf = ({ name }: Peer, steps: string, rates: Rates, goal: number): Figure => ({
  figure: name,
  what: `records a second of ${steps}, as a multiple of the same workflows of ${name}`,
  value: round(median(rates.map(({ ours, theirs }) => ours / theirs))),
  unit: 'times',
  goal: { atLeast: goal },
  details: { turns: rates },
});

/** @param run Of the peer: how many a second. */
async function ratesInTurns(
  { name }: Peer,
  kind: 'local' | 'model',
  { models, run }: { models: { url: string }; run: () => Promise<number> },
) {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'bench-stack-'));
  await using stack = await startBenchStack({ dataDir: directory.path, modelsUrl: models.url });
  await uploadFirstAirports(stack.api, 'warm-up', 300);
  await uploadFirstAirports(stack.api, 'airport');
  const flowId = await publishBenchFlow(stack.api, kind);
  await runBatch(stack.api, flowId, 'warm-up');
  const rates: { ours: number; theirs: number }[] = [];
  for (let turn = 1; turn <= turns; turn++) {
    printProgress(`${name}: flow "${kind}", turn ${turn} of ${turns}`);
    const { records, seconds } = await runBatch(stack.api, flowId, 'airport', { recordConcurrency: width });
    rates.push({ ours: round(records / seconds, 0), theirs: await run() });
  }
  return rates;
}
