import { setTimeout as sleep } from 'node:timers/promises';
import { startRecording, stopRecording } from './recorder.ts';

const settleMs = 1_000;
const release = () => globalThis.gc?.({ execution: 'async', type: 'major', flavor: 'last-resort' });

/** What the bench may ask of a stack's process. Loaded into it before the stack itself. */
const answers = {
  startRecording,
  stopRecording,

  cpuMs() {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  },

  /** The most that it ever had. */
  peakRss: () => process.resourceUsage().maxRSS * 1_024,

  /** As it is, and after the engine gave back what it only keeps in store: freed pages, dead objects. */
  async memory() {
    const { rss } = process.memoryUsage();
    await release();
    await sleep(settleMs);
    await release();
    return { rss, heldRss: process.memoryUsage().rss };
  },
};
export type Probe = typeof answers;

export interface Question {
  id: number;
  name: keyof Probe;
  argument: unknown;
}

process.on('message', async ({ id, name, argument }: Question) => {
  const answer = answers[name] as (argument: unknown) => unknown;
  process.send?.({ id, answer: await answer(argument) });
});
// The bench is gone: so should be the stack with all its children.
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
