import { setTimeout as sleep } from 'node:timers/promises';
import { listProcessTree, readCpuMs } from './processes.ts';
import { startRecording, stopRecording } from './recorder.ts';
import { traffic } from './traffic.ts';

const settleMs = 1_000;
const release = () => globalThis.gc?.({ execution: 'async', type: 'major', flavor: 'last-resort' });

/** Of those that run records. Other systems than Linux tell nothing. */
const workerCpuMs = () =>
  process.platform === 'linux'
    ? listProcessTree(process.pid)
        .filter(({ command }) => command.includes('worker-process'))
        .reduce((sum, worker) => sum + readCpuMs(worker), 0)
    : 0;

/** Answers the bench's questions inside the stack's process. Loaded before the stack. */
const answers = {
  startRecording,
  stopRecording,
  traffic,

  /** Of this process and of those that run records. */
  cpuMs() {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000 + workerCpuMs();
  },

  /** The peak. */
  peakRss: () => process.resourceUsage().maxRSS * 1_024,

  /** Current, and after a garbage collection that also releases spare pages. */
  async memory() {
    const { rss } = process.memoryUsage();
    await release();
    await sleep(settleMs);
    await release();
    return { rss, heldRss: process.memoryUsage().rss };
  },
};
export type Probe = typeof answers;

export interface ProbeRequest {
  id: number;
  name: keyof Probe;
  argument: unknown;
}

process.on('message', async ({ id, name, argument }: ProbeRequest) => {
  const answer = answers[name] as (argument: unknown) => unknown;
  process.send?.({ id, answer: await answer(argument) });
});
// The bench has exited: ends the stack with all its children.
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
