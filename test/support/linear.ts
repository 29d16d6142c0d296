import { expect } from 'vitest';

const rounds = 5;
const growth = 32;

/**
 * Expects that the processor time of some work grows with the size of its text and not faster: 32 times the text may take
 * 500 times as long, because small sizes are measured badly and large ones leave garbage; work that is quadratic takes a thousand times as long.
 * @param size Characters of the smaller text, for which the work takes at least some tenths of a millisecond.
 */
export function expectLinear(
  work: (text: string) => unknown,
  textOf: (size: number) => string,
  size: number,
): void {
  const [small, large] = [textOf(size), textOf(size * growth)];
  // In turns, so that both meet the same machine.
  const times = Array.from(
    { length: rounds },
    () => [cpuMs(() => work(small)), cpuMs(() => work(large))] as const,
  );
  const ofSmall = Math.min(...times.map(([one]) => one));
  const ofLarge = Math.min(...times.map(([, other]) => other));
  expect(ofLarge / Math.max(ofSmall, 0.2)).toBeLessThan(500);
}

function cpuMs(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
