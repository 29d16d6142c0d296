import { execFile } from 'node:child_process';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { accepts } from '../../infra/local/runtime/guarded-process.ts';
import { isThere, Missing } from '../measure/install.ts';
import { startProgram } from './peer.ts';

const run = promisify(execFile);
const port = 5544;

export const postgresUrl = process.env.DBOS_URL ?? `postgresql://postgres@127.0.0.1:${port}/postgres`;

/** Where Debian has Postgres 15. */
const bin = '/usr/lib/postgresql/15/bin';

/** Postgres 15 with its default settings, unless `DBOS_URL` names another. @returns how to stop it. @throws Missing */
export async function startPostgres(): Promise<() => Promise<void>> {
  if (process.env.DBOS_URL) return async () => {};
  if (!(await isThere(bin))) throw new Missing(`There is no Postgres 15 in ${bin}, and DBOS_URL is not set`);
  const folder = await mkdtemp(join(tmpdir(), 'bench-postgres-'));
  const user = await userFor(folder);
  const postgres = (program: string, ...args: string[]) =>
    [...user, `${bin}/${program}`, '-D', `${folder}/data`, ...args] as [string, ...string[]];
  const [command, ...initialise] = postgres('initdb', '-A', 'trust', '-U', 'postgres');
  await run(command, initialise, { cwd: folder });
  const stop = await startProgram(postgres('postgres', '-p', String(port), '-k', folder), folder, () =>
    accepts(port),
  );
  return async () => {
    await stop();
    await rm(folder, { recursive: true, force: true });
  };
}

/** Postgres refuses to run as root. @returns what to put before a command. */
async function userFor(folder: string): Promise<string[]> {
  if (process.getuid?.() !== 0) return [];
  const id = async (flag: string) => Number((await run('id', [flag, 'postgres'])).stdout);
  await chown(folder, await id('-u'), await id('-g'));
  return ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'];
}
