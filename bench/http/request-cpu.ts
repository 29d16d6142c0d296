import type { GetCommandInput, UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { type Figure, median, printProgress, round } from '../measure/figure.ts';
import { startRecording, stopRecording } from '../measure/recorder.ts';
import { type BareEvent, handler as bareHandler } from './bare-handler.ts';
import type { WarmGet } from './warm-get.ts';

const rounds = 40;
const warmUpRounds = 10;
const callsPerRound = 50;

/** (a) The cost of the request stack: CPU of the endpoint minus CPU of its two store calls. */
export async function measureRequestCpu(get: WarmGet): Promise<Figure[]> {
  printProgress('a: CPU of a warm GET, against a bare handler');
  const event = await storeCallsOf(get);
  const { value, wholeMs, ...details } = await cpuBeyond(get, () => bareHandler(event));
  return [
    {
      figure: 'a',
      what: 'CPU time of the request stack per warm GET /v1/flows/:id',
      value,
      unit: 'ms',
      goal: { atMost: 0.3 },
      details: { endpointMs: wholeMs, ...details },
    },
  ];
}

/** The cost of a call beyond its store calls, which `bare` makes alone. */
export async function cpuBeyond(whole: () => Promise<unknown>, bare: () => Promise<unknown>) {
  const samples: { whole: number; bare: number }[] = [];
  for (let round = 0; round < warmUpRounds + rounds; round++) {
    // Alternates the order, so that neither always pays for the other's garbage.
    const sample =
      round % 2 === 0
        ? { whole: await cpuMsPerCall(whole), bare: await cpuMsPerCall(bare) }
        : await cpuMsPerCall(bare).then(async (bareMs) => ({
            whole: await cpuMsPerCall(whole),
            bare: bareMs,
          }));
    if (round >= warmUpRounds) samples.push(sample);
  }
  return {
    value: round(median(samples.map(({ whole, bare }) => whole - bare))),
    wholeMs: round(median(samples.map(({ whole }) => whole))),
    bareHandlerMs: round(median(samples.map(({ bare }) => bare))),
    rounds,
    callsPerRound,
  };
}

/** The endpoint's store calls, for the bare handler to repeat. */
async function storeCallsOf(get: WarmGet): Promise<BareEvent> {
  startRecording({ capacity: false });
  await get();
  const inputs = new Map(stopRecording().map(({ name, input }) => [name, input]));
  return { read: inputs.get('Get') as GetCommandInput, meter: inputs.get('Update') as UpdateCommandInput };
}

async function cpuMsPerCall(call: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  for (let n = 0; n < callsPerRound; n++) await call();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / callsPerRound;
}
