import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';

/** The documents whose commands a reader tries. */
export const guides = ['README.md', ...globSync('docs/guides/*.md').sort()];

/** Commands of a guide, and the output that the guide shows after them. */
export interface Block {
  /** The line of the document on which it begins. */
  line: number;
  commands: string;
  /** `…` stands for any text within a line. */
  shown: string[];
  /** Whether times, durations and ids are those of the day of a recording. */
  isRecorded?: true;
}

/**
 * The commands of a document, in order: its fenced blocks of `sh`. A block of `text`, `json` or `csv` that follows is
 * their output. A block of `console` is a recording: lines after `$ ` are commands, the others are their output. Blocks of `sh no-test` cannot run in a test, those of `sh slow-test` run in a test of their own.
 */
export function guideCommands(path: string, commands = 'sh'): Block[] {
  const lines = readFileSync(path, 'utf8').split('\n');
  const blocks: Block[] = [];
  let open: { fence: string; info: string; line: number; content: string[] } | undefined;
  let last: Block | undefined;
  for (const [index, line] of lines.entries()) {
    const [, fence, info = ''] = /^\s*(`{3,})(.*)$/.exec(line) ?? [];
    if (open && fence === open.fence && info === '') {
      if (open.info === 'console' && commands === 'sh') blocks.push(...recordedIn(open));
      else if (open.info === commands) {
        last = { line: open.line, commands: open.content.join('\n'), shown: [] };
        blocks.push(last);
      } else if (/^(?:text|json|csv)$/.test(open.info)) {
        last?.shown.push(...open.content.map((each) => each.trim()).filter((each) => each !== ''));
      } else last = undefined;
      open = undefined;
    } else if (open) open.content.push(line);
    else if (fence) open = { fence, info: info.trim(), line: index + 1, content: [] };
  }
  return blocks;
}

const prompt = '$ ';

function recordedIn({ line, content }: { line: number; content: string[] }): Block[] {
  const blocks: Block[] = [];
  for (const [index, text] of content.entries()) {
    if (text.startsWith(prompt)) {
      const commands = text.slice(prompt.length);
      blocks.push({ line: line + index + 1, commands, shown: [], isRecorded: true });
    } else blocks.at(-1)?.shown.push(text.trim());
  }
  return blocks;
}

/** What differs from run to run, and how wide columns are because of it. */
const unrecorded = (text: string) =>
  text
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replaceAll(/\b([a-z]+)_[0-9a-z]{26}\b/g, '<$1 id>')
    .replaceAll(/\b[\d.]+ m?s\b/g, '<duration>')
    .replaceAll(/ +/g, ' ');

/** A command that waits without end must not outlive the test. */
const timeoutMs = 110_000;

const marker = '\u001e';

/** Runs all commands of a document in one shell. @param kind Of its blocks. @returns what is wrong, nothing if all is well. */
export async function guideProblems(
  path: string,
  environment: Record<string, string>,
  kind = 'sh',
): Promise<string[]> {
  const blocks = guideCommands(path, kind);
  const script = [
    'set -Eeuo pipefail',
    ...blocks.map(({ commands }, index) => `printf '${marker}%s\\n' ${index}\n${commands}`),
    `printf '${marker}end\\n'`,
  ].join('\n');
  const shell = spawn('bash', ['-c', script], {
    cwd: new URL('../..', import.meta.url),
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    // With a process group of its own, which ends what the commands left in the background.
    detached: true,
  });
  const timeout = setTimeout(() => killGroup(shell.pid), timeoutMs);
  const outputs = Promise.all([text(shell.stdout), text(shell.stderr), once(shell, 'close')]);
  await once(shell, 'exit');
  clearTimeout(timeout);
  killGroup(shell.pid);
  const [stdout, stderr] = await outputs;
  const parts = stdout
    .split(marker)
    .slice(1)
    .map((part) => part.replace(/^.*\n/, ''));
  if (shell.exitCode !== 0) {
    const failed = blocks[parts.length - 1];
    return [`${path}:${failed?.line}: exit code ${shell.exitCode}: ${parts.at(-1)}${stderr}`];
  }
  return blocks.flatMap(({ line, shown, isRecorded }, index) => {
    const form = isRecorded ? unrecorded : (text: string) => text;
    const missing = firstMissing(shown.map(form), form(parts[index] ?? ''));
    return missing === undefined ? [] : [`${path}:${line}: the output lacks "${missing}":\n${parts[index]}`];
  });
}

function killGroup(pid: number | undefined): void {
  try {
    process.kill(-Number(pid), 'SIGKILL');
  } catch {
    // The commands left nothing.
  }
}

/** The first of some lines that an output does not have after the ones before it. */
function firstMissing(shown: string[], output: string): string | undefined {
  const lines = output.split('\n').map((line) => line.trim());
  let from = 0;
  for (const each of shown) {
    const pattern = new RegExp(`^${each.split('…').map(RegExp.escape).join('.*')}$`);
    const found = lines.findIndex((line, index) => index >= from && pattern.test(line));
    if (found < 0) return each;
    from = found + 1;
  }
  return undefined;
}
