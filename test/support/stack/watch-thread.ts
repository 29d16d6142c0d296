import { appendFileSync } from 'node:fs';

/**
 * Loaded into a stack before anything else (`--import`): writes a line to the file `WATCH_FILE` for each time that its thread was
 * held for longer than 40 ms of processor time, and for each peak of its memory. Time that other processes took does not count.
 */
const file = process.env.WATCH_FILE ?? '';
const everyMs = 5;
const cpuMs = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};
let [before, peakMb] = [cpuMs(), 0];
setInterval(() => {
  const heldMs = cpuMs() - before;
  const { heapUsed, external } = process.memoryUsage();
  const mb = Math.round((heapUsed + external) / 1_000_000);
  const isPeak = mb > peakMb + 25;
  if (isPeak) peakMb = mb;
  if (heldMs > 40 || isPeak)
    appendFileSync(file, `${JSON.stringify({ at: Date.now(), heldMs: Math.round(heldMs), mb })}\n`);
  before = cpuMs();
}, everyMs).unref();
