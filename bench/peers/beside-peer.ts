import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { publishFlow, runBatch, uploadAirports } from '../flows/batch.ts';
import { type Figure, median, progress, round } from '../measure/figure.ts';
import { startStack } from '../measure/stack.ts';
import { folderOf, Missing, type Peer, turnOf } from './peer.ts';

const turns = 3;

/** Records a second of three local steps, ours on disk and the peer's in turns. Nothing if the peer cannot run here. */
export const besidePeer = (peer: Peer, goal: number) => async (): Promise<Figure[]> => {
  try {
    return [await figureOf(peer, goal)];
  } catch (error) {
    if (!(error instanceof Missing)) throw error;
    progress(`${peer.name}: skipped, since ${error.message}`);
    return [];
  }
};

async function figureOf(peer: Peer, goal: number): Promise<Figure> {
  const folder = await folderOf(peer);
  const stop = await peer.start(folder);
  try {
    const rates = await ratesInTurns(peer, folder);
    const ratios = rates.map(({ ours, theirs }) => ours / theirs);
    return {
      figure: peer.name,
      what: `records a second of three local steps, as a multiple of ${peer.name}’s workflows of three steps`,
      value: round(median(ratios)),
      unit: 'times',
      goal: { atLeast: goal },
      details: { turns: rates },
    };
  } finally {
    await stop();
  }
}

async function ratesInTurns({ name }: Peer, folder: string) {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'bench-stack-'));
  await using stack = await startStack({ dataDir: directory.path });
  await uploadAirports(stack.api, 'warm-up', 300);
  await uploadAirports(stack.api, 'airport');
  const flowId = await publishFlow(stack.api, 'local');
  await runBatch(stack.api, flowId, 'warm-up');
  const rates: { ours: number; theirs: number }[] = [];
  for (let turn = 1; turn <= turns; turn++) {
    progress(`${name}: turn ${turn} of ${turns}`);
    const { records, seconds } = await runBatch(stack.api, flowId, 'airport');
    rates.push({ ours: round(records / seconds, 0), theirs: await turnOf(folder) });
  }
  return rates;
}
