import { readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { held } from '../../local/runtime/state-files.ts';
import { type CheckResult, ok, problem, warning } from './check.ts';

const kindsMax = 30;

/** How much of the data directory each file takes, and of the table each kind of item. Also while the service runs. */
export function localSizes({ DATA_DIR }: NodeJS.ProcessEnv): CheckResult[] {
  const directory = resolve(DATA_DIR || '.local');
  try {
    return [...fileSizes(directory), ...kindSizes(join(directory, 'dynoxide.db'))];
  } catch (error) {
    const { message } = error as Error;
    const advice = 'Set DATA_DIR to the data directory of a service on this machine.';
    return [{ id: 'data-dir', what: 'Data directory', ...problem(`${directory}: ${message}`, advice) }];
  }
}

const fileSizes = (directory: string): CheckResult[] =>
  readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => ({ name, bytes: statSync(join(directory, name)).size }))
    .filter(({ bytes }) => bytes > 0)
    .sort((one, other) => other.bytes - one.bytes)
    .map(({ name, bytes }) => {
      const what = held[name.replace(/-(?:wal|shm)$/, '')];
      const free = name.endsWith('.db') ? freeBytes(join(directory, name)) : 0;
      const message = `${amount(bytes)}${free > 0 ? `, of which ${amount(free)} are free` : ''}${what ? ` (${what})` : ''}`;
      const finding =
        free > bytes / 2 && free > muchFree
          ? warning(message, 'To give the space back, start once with npm start -- --compact.')
          : ok(message);
      return { id: `file:${name}`, what: name, ...finding };
    });

const muchFree = 10 * 2 ** 20;

/** What deletions left, which new data takes. 0 for a database that its server locks. */
function freeBytes(file: string): number {
  using database = openReadOnly(file);
  try {
    const pages = database.prepare('PRAGMA freelist_count').get()?.freelist_count;
    const bytes = database.prepare('PRAGMA page_size').get()?.page_size;
    return Number(pages) * Number(bytes);
  } catch {
    return 0;
  }
}

function kindSizes(file: string): CheckResult[] {
  using database = openReadOnly(file);
  const tables = database.prepare('SELECT table_name AS name FROM _tables').all();
  return tables.flatMap(({ name }) =>
    database
      .prepare(
        `SELECT coalesce(json_extract(item_json, '$._type.S'), 'other') AS kind, count(*) AS items, sum(item_size) AS bytes,
            count(json_extract(item_json, '$.ttl')) AS expiring
           FROM "${name}" GROUP BY kind ORDER BY bytes DESC LIMIT ${kindsMax}`,
      )
      .all()
      .map(({ kind, items, bytes, expiring }) => ({
        id: `kind:${kind}`,
        what: `Items: ${kind}`,
        ...ok(`${amount(Number(bytes))} in ${items}, of which ${expiring} expire`),
      })),
  );
}

const openReadOnly = (file: string) => new DatabaseSync(file, { readOnly: true, timeout: 2_000 });

const amount = (bytes: number) =>
  bytes < 2 ** 20 ? `${(bytes / 2 ** 10).toFixed(1)} KB` : `${(bytes / 2 ** 20).toFixed(1)} MB`;
