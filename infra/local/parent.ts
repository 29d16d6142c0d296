import { readFileSync } from 'node:fs';

const checkMs = 100;

/** npm passes signals on, but when npm itself is killed nobody tells this process: it has to look. */
export function endWithParent(end: () => void): void {
  const first = ancestry();
  const timer = setInterval(() => {
    if (ancestry() === first) return;
    clearInterval(timer);
    end();
  }, checkMs);
  timer.unref();
}

/** The parent; and its parent too where a shell stands between npm and this process, as it does under Debian's sh. */
function ancestry(): string {
  const parent = process.ppid;
  try {
    const [, name = '', grandparent] =
      /\((.*)\) \w (\d+)/.exec(readFileSync(`/proc/${parent}/stat`, 'utf8')) ?? [];
    return name.endsWith('sh') ? `${parent} ${grandparent}` : String(parent);
  } catch {
    // Not Linux: other systems' shells put the program in their own place.
    return String(parent);
  }
}
