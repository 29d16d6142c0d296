import { readFileSync } from 'node:fs';

const checkMs = 100;

/** npm forwards signals, but if npm itself is killed, only polling detects it. */
export function endWithParent(end: () => void): void {
  const first = ancestry();
  const timer = setInterval(() => {
    if (ancestry() === first) return;
    clearInterval(timer);
    end();
  }, checkMs);
  timer.unref();
}

/** The parent, and the grandparent if a shell runs between npm and this process, as with Debian's sh. */
function ancestry(): string {
  const parent = process.ppid;
  try {
    const [, name = '', grandparent] =
      /\((.*)\) \w (\d+)/.exec(readFileSync(`/proc/${parent}/stat`, 'utf8')) ?? [];
    return name.endsWith('sh') ? `${parent} ${grandparent}` : String(parent);
  } catch {
    // Other systems' shells replace themselves with the program.
    return String(parent);
  }
}
