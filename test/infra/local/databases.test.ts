import {
  cpSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { openDatabases } from '../../../infra/local/databases.ts';
import { eventually } from '../../support/stack/eventually.ts';

const root = mkdtempSync(join(tmpdir(), 'databases-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let directories = 0;
const newDirectory = () => mkdtempSync(join(root, `${directories++}-`));

/** As a kill leaves it: nothing else of this process runs during the copy. */
function copyOf(directory: string): string {
  const copy = newDirectory();
  cpSync(directory, copy, { recursive: true });
  return copy;
}

const stored = (directory: string) => {
  const database = new DatabaseSync(join(directory, 'dynoxide.db'));
  const { count } = database.prepare('SELECT count(*) AS count FROM things').get() ?? {};
  database.close();
  return Number(count);
};

/** A directory with a running server that acknowledged records. */
function openRunning(pagesPerLog = 1_000) {
  const directory = newDirectory();
  const server = new DatabaseSync(join(directory, 'dynoxide.db'));
  server.exec(
    `PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = ${pagesPerLog}; CREATE TABLE things (text)`,
  );
  const opened = openDatabases(directory, () => {}, { markEveryMs: 1 });
  opened.watch();
  const insert = server.prepare('INSERT INTO things VALUES (?)');
  let count = 0;
  return {
    directory,
    add(times: number) {
      for (let n = 0; n < times; n++) insert.run(`${count++}`.padEnd(300, '.'));
      return count;
    },
    close() {
      server.close();
      opened.close();
    },
  };
}

/** Nothing before the server is watched. */
const marks = (directory: string) => {
  const file = join(directory, 'log-marks.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
};
const marked = async (directory: string, frames: number) =>
  eventually(() => {
    expect(marks(directory)['dynoxide.db']?.frames).toBeGreaterThanOrEqual(frames);
  });

const refusal = (directory: string) => {
  try {
    openDatabases(directory, () => {}).close();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
};

test('a kill at any moment, also while a log is begun anew, prevents no start and loses nothing', async () => {
  const running = openRunning(20);
  const seen = new Set<number>();
  for (let round = 0; round < 25; round++) {
    const count = running.add(round % 7);
    const copy = copyOf(running.directory);
    seen.add(marks(copy)['dynoxide.db']?.salt1);
    openDatabases(copy, (text) => expect.unreachable(text)).close();
    expect(stored(copy)).toBe(count);
    rmSync(copy, { recursive: true });
    await sleep(round % 3);
  }
  running.close();
  expect(seen.size).toBeGreaterThan(2);
});

const damages: Record<string, (log: string) => void> = {
  emptied: (log) => truncateSync(log, 0),
  halved: (log) => truncateSync(log, statSync(log).size / 2),
  'changed in the middle': (log) => writeSync(openSync(log, 'r+'), 'changed', statSync(log).size / 2),
  'changed in its header': (log) => writeSync(openSync(log, 'r+'), 'changed', 16),
};

test.each(Object.entries(damages))(
  'a log that was %s is refused, and goes on without the rest if its loss is accepted',
  async (_, damage) => {
    const running = openRunning();
    running.add(100);
    await marked(running.directory, 100);
    const copy = copyOf(running.directory);
    running.close();
    const log = join(copy, 'dynoxide.db-wal');
    damage(log);
    for (const _ of [1, 2]) {
      expect(refusal(copy)).toContain(`${log} is damaged`);
      expect(refusal(copy)).toContain('flows, records, results and keys');
      expect(refusal(copy)).toContain('npm start -- --accept-loss');
    }
    const warnings: string[] = [];
    openDatabases(copy, (text) => warnings.push(text), { acceptLoss: true }).close();
    expect(warnings.join()).toContain(`${log} is damaged`);
    expect(refusal(copy)).toBeUndefined();
  },
);

test('missing marks are refused: without them, nothing says how long the log was', async () => {
  const running = openRunning();
  const count = running.add(50);
  await marked(running.directory, 50);
  const copy = copyOf(running.directory);
  running.close();
  rmSync(join(copy, 'log-marks.json'));
  expect(refusal(copy)).toContain(`${join(copy, 'log-marks.json')} is missing, with the check`);
  openDatabases(copy, () => {}, { acceptLoss: true }).close();
  expect(refusal(copy)).toBeUndefined();
  expect(stored(copy)).toBe(count);
});

test('a log of an earlier copy is refused', async () => {
  const running = openRunning(20);
  running.add(100);
  const earlier = copyOf(running.directory);
  running.add(100);
  // The first marks may be from before the earlier copy.
  await eventually(() => {
    const copy = copyOf(running.directory);
    cpSync(join(earlier, 'dynoxide.db-wal'), join(copy, 'dynoxide.db-wal'));
    expect(refusal(copy) ?? '').toContain(`${join(copy, 'dynoxide.db-wal')} is damaged`);
  });
  running.close();
});

test('a last transaction that was not written to its end is normal: nobody received its acknowledgement', async () => {
  const running = openRunning();
  const count = running.add(50);
  await marked(running.directory, 50);
  const copy = copyOf(running.directory);
  running.add(1);
  const log = readFileSync(join(running.directory, 'dynoxide.db-wal'));
  running.close();
  writeFileSync(join(copy, 'dynoxide.db-wal'), log.subarray(0, -10));
  expect(refusal(copy)).toBeUndefined();
  expect(stored(copy)).toBe(count);
});

test('a missing database is refused, also without the list of files, unless its loss is accepted', async () => {
  const running = openRunning();
  running.add(1);
  const copies = [copyOf(running.directory), copyOf(running.directory)];
  running.close();
  const [listed = '', unlisted = ''] = copies;
  for (const copy of copies) rmSync(join(copy, 'dynoxide.db'));
  rmSync(join(unlisted, 'contents.json'));
  rmSync(join(unlisted, 'log-marks.json'), { force: true });
  writeFileSync(join(unlisted, 'credentials.json'), '{}');
  for (const copy of [listed, unlisted]) {
    expect(refusal(copy)).toContain(`${join(copy, 'dynoxide.db')} is missing, with flows`);
    openDatabases(copy, () => {}, { acceptLoss: true }).close();
  }
});

test('compacting gives the space of deleted data back, and the next start takes what is left', () => {
  const running = openRunning();
  running.add(2_000);
  running.close();
  const file = join(running.directory, 'dynoxide.db');
  const database = new DatabaseSync(file);
  database.exec('DELETE FROM things WHERE rowid > 10');
  database.close();
  const before = statSync(file).size;
  openDatabases(running.directory, () => {}, { compact: true }).close();
  expect(statSync(file).size).toBeLessThan(before / 5);
  expect(refusal(running.directory)).toBeUndefined();
  expect(stored(running.directory)).toBe(10);
});

test('after a stop the database file alone is a backup', () => {
  const running = openRunning();
  const count = running.add(30);
  running.close();
  const copy = copyOf(running.directory);
  expect(refusal(copy)).toBeUndefined();
  expect(stored(copy)).toBe(count);
});
