import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

const waitMs = 60_000;
const pauseMs = 100;

/** Waits for the first answer of a server, whatever it is. @returns false if the process ends before, or after a minute */
export async function waitForServer(url: string, child: Pick<ChildProcess, 'exitCode'>): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < waitMs && child.exitCode === null; waitedMs += pauseMs) {
    if (await fetch(url).catch(() => undefined)) return true;
    await sleep(pauseMs);
  }
  return false;
}
