import { vi } from 'vitest';

/** How often work gives way to the event loop if, by the clock, each of its parts takes long. */
export async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let clock = performance.now();
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  const spy = vi.spyOn(performance, 'now').mockImplementation(() => {
    clock += 10;
    return clock;
  });
  try {
    setImmediate(count);
    await work();
  } finally {
    isOver = true;
    spy.mockRestore();
  }
  return turns;
}
