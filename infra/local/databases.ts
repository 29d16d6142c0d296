import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import * as z from 'zod';
import { log } from '../../shared/core/log.ts';
import { StartError } from './runtime/start-error.ts';
import { held, readStored, unreadableFileError, writePrivately } from './runtime/state-files.ts';
import { type LogMarks, logMarks } from './write-ahead-logs.ts';

/** The names of the files in the data directory, as the last or the running instance listed them. */
const Contents = z.array(z.string());
const contentsFile = 'contents.json';

export interface Databases {
  /** Call when every server has created its files. */
  watch: () => void;
  /** Call when every server has ended. */
  close: () => void;
}

/**
 * Checks the databases of the data directory before their servers open them. Then holds a connection to each: SQLite
 * keeps a write-ahead log (`-wal`) as long as a connection is open, and `close` merges it. A log that is missing at the
 * next start was therefore not copied.
 * @param warn Receives a message for each file that is missing or damaged, if `acceptLoss` is set.
 */
export function openDatabases(
  directory: string,
  warn: (text: string) => void,
  { acceptLoss = false, compact = false, markEveryMs = 1_000 } = {},
): Databases {
  const listed = readStored(join(directory, contentsFile), Contents);
  const marks = logMarks(directory, markEveryMs);
  const losses = lossesIn(directory, listed, marks);
  if (losses.length > 0 && !acceptLoss) throw new StartError([...losses, adviceOnLoss].join(' '));
  if (losses.length > 0) marks.clear();
  for (const loss of losses) warn(`${loss} The service starts without it, since --accept-loss is set.`);
  const open = new Map<string, DatabaseSync>();
  const openAll = () => {
    for (const name of databasesIn(directory)) {
      const database = open.has(name) ? undefined : openChecked(join(directory, name));
      if (database) open.set(name, database);
    }
  };
  const writeList = (names: string[]) => writeContents(join(directory, contentsFile), names);
  /** @param expectedFiles The files that the next start expects, apart from the logs of the open databases. */
  function close(expectedFiles: () => string[]) {
    marks.clear();
    const names = expectedFiles();
    const logs = [...open.keys()].map((name) => `${name}-wal`);
    // Write the list before a log is removed, so that it never names a missing log.
    writeList(names.filter((name) => !logs.includes(name)));
    for (const database of open.values()) {
      merge(database);
      database.close();
    }
    writeList(names.filter((name) => !logs.includes(name) || existsSync(join(directory, name))));
  }

  try {
    refuseEmptied(directory, listed ?? []);
    openAll();
    if (compact) {
      marks.clear();
      for (const [name, database] of open) giveSpaceBack(join(directory, name), database);
    }
  } catch (error) {
    close(() => listed ?? []);
    throw error;
  }
  if (!listed) reportEmpty(directory, open, warn);
  return {
    watch() {
      openAll();
      marks.watch(() => [...open.keys()]);
      writeList(filesIn(directory));
    },
    close: () => close(() => filesIn(directory)),
  };
}

/** Writes the list. If that fails, for example on a full disk, deletes the old list, because it names merged logs. */
function writeContents(file: string, names: string[]): void {
  try {
    writePrivately(file, JSON.stringify(names, undefined, 2));
  } catch (error) {
    rmSync(file, { force: true });
    log.warn('The list of files could not be written; the next start does not check for missing files', {
      error,
    });
  }
}

const unlisted = /^(?:lock\.db|pid|contents\.json)|(?:\.tmp|-shm|-journal)$/;

const filesIn = (directory: string) =>
  readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isFile() && !unlisted.test(entry.name))
    .map(({ name }) => name);

const databasesIn = (directory: string) => filesIn(directory).filter((name) => name.endsWith('.db'));

const sqliteBusy = 5;

/** Checking a larger database would delay the start by many seconds. */
const checkedBytesMax = 1_000_000_000;

/**
 * Reading the schema detects a file that is not an SQLite database or is truncated; reading everything also detects
 * damage further on.
 * @returns undefined if the server has locked it.
 */
function openChecked(file: string): DatabaseSync | undefined {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file);
    if (tablesIn(database) > 0 && statSync(file).size <= checkedBytesMax) refuseDamaged(file, database);
    return database;
  } catch (error) {
    database?.close();
    if ((error as { errcode?: number }).errcode === sqliteBusy) return undefined;
    throw error instanceof StartError ? error : unreadableFileError(file, error);
  }
}

function refuseDamaged(file: string, database: DatabaseSync): void {
  const { quick_check: found } = database.prepare('PRAGMA quick_check(1)').get() ?? {};
  if (found !== 'ok') throw unreadableFileError(file, 'the database disk image is malformed');
}

const tablesIn = (database: DatabaseSync) =>
  Number(database.prepare('SELECT count(*) AS count FROM sqlite_schema').get()?.count);

/** Needs room for a second copy while it runs. */
function giveSpaceBack(file: string, database: DatabaseSync): void {
  try {
    database.exec('VACUUM; PRAGMA wal_checkpoint(TRUNCATE)');
  } catch (error) {
    throw new StartError(
      `${file} could not be compacted: ${(error as Error).message}. Free as much disk space as it has, or start without --compact.`,
    );
  }
}

function merge(database: DatabaseSync): void {
  try {
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch (error) {
    log.warn('The write-ahead log of a database could not be merged; the next start merges it', { error });
  }
}

const adviceOnLoss =
  'Stop the service and restore or copy the whole directory again, or start once with `npm start -- --accept-loss` to go on without what is missing.';

/** What the directory lacks, one sentence each. */
function lossesIn(directory: string, listed: readonly string[] | undefined, marks: LogMarks): string[] {
  const missing = missingFrom(directory, listed);
  const absent = missing.map((name) => {
    const database = name.replace(/-wal$/, '');
    const what = database === name ? '' : 'the latest changes of ';
    return `${join(directory, name)} is missing, with ${what}${held[database] ?? 'unknown contents'}.`;
  });
  const logs = marks.findShortLogs().filter(({ name }) => !missing.includes(name));
  return [...absent, ...logs.map(({ message }) => message)];
}

/** Without a list, for example after a kill in the first start, only what the first credentials were stored in. */
function missingFrom(directory: string, listed: readonly string[] | undefined): string[] {
  const isThere = (name: string) => existsSync(join(directory, name));
  if (listed) return listed.filter((name) => !isThere(name));
  return isThere('credentials.json') && !tableFiles.some(isThere) ? [tableFiles[0]] : [];
}

/** One for each engine. */
const tableFiles = ['dynoxide.db', 'shared-local-instance.db'] as const;

/** Refuses a listed database file that is empty: SQLite would accept it as a new database. */
function refuseEmptied(directory: string, listed: readonly string[]): void {
  for (const name of databasesIn(directory)) {
    const file = join(directory, name);
    if (listed.includes(name) && statSync(file).size === 0) throw unreadableFileError(file, 'it is empty');
  }
}

/** If there is no list, warns of each database without tables: it may have been copied without its log. */
function reportEmpty(
  directory: string,
  databases: ReadonlyMap<string, DatabaseSync>,
  warn: (text: string) => void,
): void {
  for (const [name, database] of databases) {
    if (tablesIn(database) > 0) continue;
    warn(
      `${join(directory, name)} is empty. If this directory is a copy, ${name}-wal is missing: stop the service and copy the whole directory again.`,
    );
  }
}
