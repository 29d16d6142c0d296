const rounds = 30;
const warmUpRounds = 5;
const runsPerRound = 20;

/** How the samples were taken. */
export const samplingFacts = { rounds, runsPerRound };

/**
 * The CPU time of each way in ms, in rounds. Their order alternates, so that no way always pays for the garbage of
 * another.
 */
export async function cpuSamples<Name extends string>(
  ways: Record<Name, () => Promise<unknown>>,
): Promise<Record<Name, number>[]> {
  const samples: Record<Name, number>[] = [];
  const names = Object.keys(ways) as Name[];
  for (let at = 0; at < warmUpRounds + rounds; at++) {
    const sample = {} as Record<Name, number>;
    for (const name of at % 2 === 0 ? names : names.toReversed())
      sample[name] = await cpuMsPerRun(ways[name]);
    if (at >= warmUpRounds) samples.push(sample);
  }
  return samples;
}

async function cpuMsPerRun(run: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  for (let n = 0; n < runsPerRound; n++) await run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / runsPerRound;
}
