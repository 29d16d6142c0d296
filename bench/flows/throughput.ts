import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { oneTransactionARecord, secondsOfWrites, stepResultWrites } from '../data/bare-writes.ts';
import { type Figure, printProgress, round } from '../measure/figure.ts';
import { type BenchStack, startBenchStack, startModelServer } from '../measure/stack.ts';
import { type FlowKind, publishBenchFlow, runBatch, uploadFirstAirports } from './batch.ts';

const warmUpRecords = 300;
const turnsPerFlow = 2;

/** (e) How fast a batch runs on disk through the real handlers, relative to its writes alone. */
export async function measureThroughput(): Promise<Figure[]> {
  using models = await startModelServer();
  await using directory = await mkdtempDisposable(join(tmpdir(), 'bench-stack-'));
  await using stack = await startBenchStack({ dataDir: directory.path, modelsUrl: models.url });
  await uploadFirstAirports(stack.api, 'warm-up', warmUpRecords);
  await uploadFirstAirports(stack.api, 'airport');
  const local = await measure(stack, 'local');
  const model = await measure(stack, 'model');
  const speed: Figure = {
    figure: 'e',
    what: 'throughput of a batch of three local steps',
    value: local.recordsPerSecond,
    unit: 'records/s',
    goal: { atLeast: 600 },
  };
  return [speed, shareOf('three local steps', local), shareOf('three steps, one with a model call', model)];
}

type Measured = Awaited<ReturnType<typeof measure>>;

const shareOf = (flow: string, { share, ...details }: Measured): Figure => ({
  figure: 'e',
  what: `throughput of a batch of ${flow}, as a share of its writes alone`,
  value: share,
  unit: 'of the bare limit',
  goal: { atLeast: 0.6 },
  details,
});

/** Alternates run and writes, and takes the best of each, since other load can only slow them down. */
async function measure(stack: BenchStack, kind: FlowKind) {
  const flowId = await publishBenchFlow(stack.api, kind);
  const warmUp = await recordedRun(stack, flowId, 'warm-up');
  const recorded = await recordedRun(stack, flowId, 'airport');
  const turns: (Awaited<ReturnType<typeof timedRun>> & { bareSeconds: number })[] = [];
  for (let turn = 1; turn <= turnsPerFlow; turn++) {
    printProgress(`e: throughput of a batch, flow "${kind}", ${turn} of ${turnsPerFlow}`);
    const run = await timedRun(stack, flowId);
    const writes = { warmUp: warmUp.writes, measured: recorded.writes };
    turns.push({ ...run, bareSeconds: await secondsOfWrites(stack.facts.table, writes) });
  }
  const ungroupedSeconds = await secondsOfWrites(stack.facts.table, {
    warmUp: oneTransactionARecord(warmUp.writes),
    measured: oneTransactionARecord(recorded.writes),
  });
  const { records = 0 } = turns[0] ?? {};
  const seconds = Math.min(...turns.map((turn) => turn.seconds));
  const bareSeconds = Math.min(...turns.map((turn) => turn.bareSeconds));
  return {
    share: round(bareSeconds / seconds),
    recordsPerSecond: round(records / seconds, 0),
    bareRecordsPerSecond: round(records / bareSeconds, 0),
    /** For comparison: the limit of a worker without group commit. */
    ungroupedRecordsPerSecond: round(records / ungroupedSeconds, 0),
    shareOfUngrouped: round(ungroupedSeconds / seconds),
    records,
    turns: turns.map((turn) => ({
      recordsPerSecond: round(records / turn.seconds, 0),
      bareRecordsPerSecond: round(records / turn.bareSeconds, 0),
      writes: recorded.writes.length,
      cpuMsPerRecord: round(turn.cpuMs / records, 2),
    })),
  };
}

/** Without the recorder, which takes time itself. */
async function timedRun({ api, ask }: BenchStack, flowId: string) {
  const cpuBefore = await ask('cpuMs');
  const run = await runBatch(api, flowId, 'airport');
  return { ...run, cpuMs: (await ask('cpuMs')) - cpuBefore };
}

async function recordedRun({ api, ask }: BenchStack, flowId: string, recordType: string) {
  await ask('startRecording', { capacity: false });
  const run = await runBatch(api, flowId, recordType);
  return { ...run, writes: stepResultWrites(await ask('stopRecording')) };
}
