import { execFile } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { unreadableFileError } from '../../../../infra/local/runtime/state-files.ts';

const run = promisify(execFile);
const local = new URL('../../../../infra/local/', import.meta.url);

/** Runs a program as the child of a shell, with few files, after it has opened all that it may. */
async function withoutFiles(program: string): Promise<string> {
  const script = `
    import { openSync } from 'node:fs';
    ${program}
    async function exhaust() {
      try { for (;;) openSync('/dev/null'); } catch {}
    }`;
  const command = 'ulimit -n 64; "$0" --input-type=module -e "$1"; exit $?';
  const { stdout } = await run('/bin/sh', ['-c', command, process.execPath, script], { cwd: local });
  return stdout;
}

test('a process at its limit of open files does not take its parent for dead', async () => {
  const output = await withoutFiles(`
    import { endWithParent } from '${new URL('parent.ts', local)}';
    endWithParent(() => { console.log('ended'); process.exit(); });
    await exhaust();
    setTimeout(() => { console.log('alive'); process.exit(); }, 1_000);
  `);
  expect(output).toBe('alive\n');
});

test('a database that cannot be opened at the limit of open files is not said to be damaged', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'databases-'));
  for (const name of ['outbox.db', 'vectors.db'])
    new DatabaseSync(join(directory, name)).exec('CREATE TABLE t (a)');
  const output = await withoutFiles(`
    import { openDatabases } from '${new URL('databases.ts', local)}';
    import { closeSync } from 'node:fs';
    await exhaust();
    // For the first of the two.
    closeSync(40);
    try { openDatabases(${JSON.stringify(directory)}, console.log); } catch (error) { console.log(error.message); }
  `);
  expect(output).toContain('limit of open files of this process, 64, is reached');
  expect(output).not.toContain('move it away');
});

test.each([
  ['EMFILE', 'limit of open files'],
  ['ENFILE', 'limit of open files'],
  ['ENOSPC', 'disk is full'],
  ['EACCES', 'no permission'],
])('an error %s of a file says what is missing, not that the file is damaged', (code, expected) => {
  const { message } = unreadableFileError('/data/vectors.db', Object.assign(new Error('no'), { code }));
  expect(message).toContain('/data/vectors.db cannot be opened, but is not damaged');
  expect(message).toContain(expected);
});

test('a file that is no database is damaged', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'damaged-')), 'vectors.db');
  writeFileSync(file, 'x'.repeat(4_096));
  try {
    new DatabaseSync(file).exec('SELECT * FROM sqlite_schema');
    expect.unreachable();
  } catch (error) {
    expect(unreadableFileError(file, error).message).toMatch(/cannot be read: .*move it away/);
  }
});
