import { appendFileSync } from 'node:fs';

/**
 * Loaded into a stack before anything else (`--import`): writes a line to the file `WATCH_FILE` for each time that its thread was
 * held for longer than 40 ms of processor time. Time that other processes took does not count.
 */
const file = process.env.WATCH_FILE ?? '';
const everyMs = 5;
const cpuMs = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};
let before = cpuMs();
setInterval(() => {
  const heldMs = cpuMs() - before;
  if (heldMs > 40)
    appendFileSync(file, `${JSON.stringify({ at: Date.now(), heldMs: Math.round(heldMs) })}\n`);
  before = cpuMs();
}, everyMs).unref();
