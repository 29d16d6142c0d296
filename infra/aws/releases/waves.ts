import type { LambdaEntry } from '../conventions/entries.ts';

/** The most aliases that a release may move at once. */
const aliasesAtOnce = 60;

type Group = [name: string, entries: LambdaEntry[]];

/** The groups in waves, the largest groups first. A group that no wave has room for begins another. */
export function deploymentWaves(released: readonly LambdaEntry[]): Group[][] {
  const waves: { groups: Group[]; room: number }[] = [];
  const groups = [...Map.groupBy(released, ({ group }) => group)];
  for (const group of groups.toSorted(([, one], [, other]) => other.length - one.length)) {
    const size = group[1].length;
    const wave = waves.find(({ room }) => room >= size) ?? { groups: [], room: aliasesAtOnce };
    if (wave.groups.length === 0) waves.push(wave);
    wave.groups.push(group);
    wave.room -= size;
  }
  return waves.map(({ groups }) => groups);
}
