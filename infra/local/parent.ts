import { readFileSync } from 'node:fs';

const checkMs = 100;

/** npm forwards signals, but if npm itself is killed, only polling detects it. */
export function endWithParent(end: () => void): void {
  const first = { parent: process.ppid, grandparent: grandparentBehindShell() };
  const timer = setInterval(() => {
    if (process.ppid === first.parent && isRunning(first.parent) && isStill(first.grandparent)) return;
    clearInterval(timer);
    end();
  }, checkMs);
  timer.unref();
}

/** Windows keeps the number of a parent that has ended. */
function isRunning(parent: number): boolean {
  if (process.platform !== 'win32') return true;
  try {
    return process.kill(parent, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** A failure to look, for example at the limit of open files, is no death. */
function isStill(first: number | undefined): boolean {
  const now = grandparentBehindShell();
  return first === undefined || now === undefined || now === first;
}

/**
 * The grandparent if a shell runs between npm and this process, as with Debian's sh. Other systems' shells replace
 * themselves with the program.
 * @returns undefined if it is not known
 */
function grandparentBehindShell(): number | undefined {
  try {
    const [, name = '', grandparent] =
      /\((.*)\) \w (\d+)/.exec(readFileSync(`/proc/${process.ppid}/stat`, 'utf8')) ?? [];
    return name.endsWith('sh') ? Number(grandparent) : undefined;
  } catch {
    return undefined;
  }
}
