import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { publishFlow, runBatch, uploadAirports } from '../flows/batch.ts';
import { type Figure, median, progress, round } from '../measure/figure.ts';
import { unlessMissing } from '../measure/install.ts';
import { startModels, startStack } from '../measure/stack.ts';
import { folderOf, type Peer, turnOf } from './peer.ts';

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
  const folder = await folderOf(peer);
  const stop = await peer.start(folder);
  try {
    using models = await startModels(undefined, { delayMs: modelDelayMs });
    const local = await ratesInTurns(peer, 'local', { models, run: () => turnOf(folder, 'bench.mjs') });
    const figures = [figureOf(peer, 'three local steps', local, goals.local)];
    const { modelProgram: program } = peer;
    if (!program || goals.model === undefined) return figures;
    const run = () => turnOf(folder, program, models.url);
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
  await using stack = await startStack({ dataDir: directory.path, modelsUrl: models.url });
  await uploadAirports(stack.api, 'warm-up', 300);
  await uploadAirports(stack.api, 'airport');
  const flowId = await publishFlow(stack.api, kind);
  await runBatch(stack.api, flowId, 'warm-up');
  const rates: { ours: number; theirs: number }[] = [];
  for (let turn = 1; turn <= turns; turn++) {
    progress(`${name}: flow "${kind}", turn ${turn} of ${turns}`);
    const { records, seconds } = await runBatch(stack.api, flowId, 'airport');
    rates.push({ ours: round(records / seconds, 0), theirs: await run() });
  }
  return rates;
}
