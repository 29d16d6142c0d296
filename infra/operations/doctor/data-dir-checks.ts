import { existsSync, statSync } from 'node:fs';
import { access, constants, statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type CheckFinding, type DoctorCheck, ok, problem, warning } from './check.ts';

type Environment = NodeJS.ProcessEnv;

const freeGbMin = 1;

export const dataDirChecks: readonly DoctorCheck<Environment>[] = [
  { id: 'data-dir', what: 'Data directory', run: dataDir },
  { id: 'disk', what: 'Free disk space', run: diskSpace },
];

const pathOf = ({ DATA_DIR }: Environment) => resolve(DATA_DIR || '.local');

/** The directory itself, or the nearest one above in which it would be created. */
function nearest(path: string): string {
  return existsSync(path) || path === dirname(path) ? path : nearest(dirname(path));
}

async function dataDir(environment: Environment): Promise<CheckFinding> {
  const path = pathOf(environment);
  const existing = nearest(path);
  const isWritable = await access(existing, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
  if (!isWritable || !statSync(existing).isDirectory())
    return problem(`${existing} is no writable directory`, 'Set DATA_DIR to a writable directory.');
  if (existing !== path) return ok(`${path} will be created`);
  return isLocked(resolve(path, 'lock.db'))
    ? warning(`${path} is used by a running instance`, 'Stop it, or set DATA_DIR to another directory.')
    : ok(path);
}

/** As `infra/local/runtime/data-dir.ts` locks it. */
function isLocked(file: string): boolean {
  if (!existsSync(file)) return false;
  const lock = new DatabaseSync(file, { readOnly: true });
  try {
    lock.exec('SELECT 1 FROM sqlite_schema');
    return false;
  } catch (error) {
    if ((error as { errcode?: number }).errcode === sqliteBusy) return true;
    throw error;
  } finally {
    lock.close();
  }
}

const sqliteBusy = 5;

async function diskSpace(environment: Environment): Promise<CheckFinding> {
  const path = nearest(pathOf(environment));
  const { bavail, bsize } = await statfs(path);
  const gb = (bavail * bsize) / 2 ** 30;
  return gb >= freeGbMin
    ? ok(`${gb.toFixed(1)} GB`)
    : problem(`${gb.toFixed(1)} GB at ${path}`, 'Free disk space, or set DATA_DIR to another disk.');
}
