import { execFile } from 'node:child_process';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { promisify } from 'node:util';
import { type Figure, printProgress } from './figure.ts';

const run = promisify(execFile);

/** What a measurement cannot do without on this machine. */
export class Missing extends Error {}

/** Nothing, and a line that says why, if it misses something. */
export async function unlessMissing(name: string, measure: () => Promise<Figure[]>): Promise<Figure[]> {
  try {
    return await measure();
  } catch (error) {
    if (!(error instanceof Missing)) throw error;
    printProgress(`${name}: skipped, since ${error.message}`);
    return [];
  }
}

interface Wanted {
  name: string;
  /** With exact majors. */
  packages: readonly string[];
  /** Names of packages that compile something when they are installed. */
  built?: readonly string[];
}

/**
 * A temporary folder with packages that are only measured, which stays for the next time.
 * @throws Missing if nobody agrees to install them, or if that fails.
 */
export async function install({ name, packages, built = [] }: Wanted): Promise<string> {
  return installed({ name, packages, mark: 'node_modules' }, async (folder) => {
    const allowScripts = Object.fromEntries(built.map((it) => [it, true]));
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, allowScripts }));
    await run('npm', ['install', '--no-audit', '--no-fund', ...packages], { cwd: folder });
  });
}

/** As `install`, of packages for Python, in an environment of their own. @throws Missing */
export async function installPython({ name, packages }: Omit<Wanted, 'built'>): Promise<string> {
  return installed({ name, packages, mark: 'complete' }, async (folder) => {
    await run('python3', ['-m', 'venv', folder]);
    await run(join(folder, 'bin/pip'), ['install', '--quiet', ...packages]);
    await writeFile(join(folder, 'complete'), '');
  });
}

/** @param wanted `mark`: what the folder has when it is complete. */
async function installed(
  { name, packages, mark }: Omit<Wanted, 'built'> & { mark: string },
  fill: (folder: string) => Promise<void>,
): Promise<string> {
  const folder = join(tmpdir(), `agent-flow-bench-${name}`);
  if (await isThere(join(folder, mark))) return folder;
  if (!(await agreed(`Install ${packages.join(' ')} into ${folder}?`)))
    throw new Missing(`${packages.join(' ')} would have to be installed into ${folder}; pass --yes to agree`);
  await fill(folder).catch((error: Error) => {
    throw new Missing(`${packages.join(' ')} cannot be installed: ${error.message}`);
  });
  return folder;
}

async function agreed(question: string): Promise<boolean> {
  if (process.argv.includes('--yes')) return true;
  if (!process.stdin.isTTY) return false;
  using lines = createInterface({ input: process.stdin, output: process.stderr });
  return /^y/i.test(await lines.question(`${question} (y/N) `));
}

export const isThere = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );
