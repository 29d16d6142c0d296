import { readdirSync, readFileSync } from 'node:fs';

/** What Linux tells of processes. */
export interface Running {
  pid: number;
  command: string;
}

/** A process and those below it. */
export function listProcessTree(root: number): Running[] {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const parents = new Map(all.map((pid) => [Number(pid), Number(readStat(pid)[1])]));
  const isBelow = (pid: number | undefined): boolean =>
    pid === root || (pid !== undefined && isBelow(parents.get(pid)));
  const pids = [...parents.keys()].filter(isBelow);
  return pids.map((pid) => ({ pid, command: readProc(pid, 'cmdline').replaceAll('\0', ' ') }));
}

/** @returns an empty text for a process that has ended. */
export function readProc(pid: number | string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

/** What follows the name of the program, from the state on. */
const readStat = (pid: number | string) => readProc(pid, 'stat').split(') ').at(-1)?.split(' ') ?? [];

const tickMs = 10;

/** That it has taken so far; 0 for one that has ended. */
export function readCpuMs({ pid }: Running): number {
  const [user = 0, system = 0] = readStat(pid).slice(11, 13).map(Number);
  return tickMs * (user + system);
}
