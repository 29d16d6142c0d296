import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { openDatabases } from '../../../infra/local/databases.ts';
import type { StackFacts } from '../../../infra/local/stack.ts';
import { s3Fetch } from '../../support/data/s3.ts';
import { killAll, launchMain, newDirectory, start } from '../../support/stack/processes.ts';

afterEach(killAll);

async function callWith({ url, liveKey }: StackFacts, path: string, body?: object) {
  const headers = { authorization: `Bearer ${liveKey}`, 'content-type': 'application/json' };
  const sent = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers };
  const answer = await fetch(url + path, sent);
  return { status: answer.status, body: await answer.json() };
}

const createFlow = async (facts: StackFacts): Promise<string> =>
  (await callWith(facts, '/v1/flows', { name: 'A flow' })).body.id;
const statusOf = async (facts: StackFacts, flow: string) =>
  (await callWith(facts, `/v1/flows/${flow}`)).status;

/** A copy as a careless backup makes it. */
function copyOf(directory: string, keep: (name: string) => boolean): string {
  const copy = newDirectory();
  for (const name of readdirSync(directory).filter(keep)) {
    cpSync(join(directory, name), join(copy, name), { recursive: true });
  }
  return copy;
}

const isLog = (name: string) => /-(wal|shm|journal)$/.test(name);

async function refusal(DATA_DIR: string): Promise<string> {
  const child = launchMain({ DATA_DIR, LOG_LEVEL: 'warn' }, []);
  const [said, [code]] = await Promise.all([child.stderr ? text(child.stderr) : '', once(child, 'exit')]);
  expect(code, said).toBe(1);
  return said;
}

test('after a stop, the database files alone contain all data', async () => {
  const DATA_DIR = newDirectory();
  const { child, facts } = await start({ DATA_DIR });
  const flow = await createFlow(facts);
  const object = `${facts.aws.s3}/payloads/kept`;
  await s3Fetch(object, { method: 'PUT', body: 'bytes' });
  child.kill('SIGTERM');
  await once(child, 'exit');
  expect(readdirSync(DATA_DIR).filter(isLog)).toEqual([]);

  const second = await start({ DATA_DIR: copyOf(DATA_DIR, (name) => !isLog(name)) });
  expect(await statusOf(second.facts, flow)).toBe(200);
  expect(await (await s3Fetch(`${second.facts.aws.s3}/payloads/kept`)).text()).toBe('bytes');
});

test('a copy of a running or killed instance without its -wal file is refused until the user accepts the loss', async () => {
  const DATA_DIR = newDirectory();
  const { child, facts } = await start({ DATA_DIR });
  await createFlow(facts);
  const copies = [copyOf(DATA_DIR, (name) => !isLog(name))];
  child.kill('SIGKILL');
  await once(child, 'exit');
  copies.push(copyOf(DATA_DIR, (name) => !isLog(name)));
  for (const copy of copies) {
    const refused = () => openDatabases(copy, () => {});
    for (const _ of [1, 2]) expect(refused).toThrow(join(copy, 'dynoxide.db-wal'));
  }
  const [copy = ''] = copies;
  expect(await refusal(copy)).toContain(join(copy, 'dynoxide.db-wal'));

  const warnings: string[] = [];
  openDatabases(copy, (text) => warnings.push(text), { acceptLoss: true }).close();
  expect(warnings).toContainEqual(expect.stringContaining(`${join(copy, 'dynoxide.db-wal')} is missing`));
});

test('a failed start after a kill changes nothing', async () => {
  const DATA_DIR = newDirectory();
  const { child, facts } = await start({ DATA_DIR });
  const flow = await createFlow(facts);
  child.kill('SIGKILL');
  await once(child, 'exit');
  const noEngine = launchMain({ DATA_DIR, PATH: '/nowhere', TABLE_ENGINE: 'dynamodb-local' }, []);
  await once(noEngine, 'exit');
  const second = await start({ DATA_DIR });
  expect(await statusOf(second.facts, flow)).toBe(200);
});

test('a start without a file of the last one is refused and names it', async () => {
  const DATA_DIR = newDirectory();
  const { child } = await start({ DATA_DIR });
  child.kill('SIGTERM');
  await once(child, 'exit');
  const copy = copyOf(DATA_DIR, (name) => name !== 'dynoxide.db');
  expect(existsSync(join(copy, 'vectors.db'))).toBe(true);
  expect(await refusal(copy)).toContain(join(copy, 'dynoxide.db'));
});

test('a database that its server locks exclusively, as DynamoDB Local does, is left alone', () => {
  const directory = newDirectory();
  const databases = openDatabases(directory, () => {});
  const server = new DatabaseSync(join(directory, 'shared-local-instance.db'));
  server.exec('PRAGMA locking_mode = EXCLUSIVE; CREATE TABLE kept (id)');
  expect(databases.watch).not.toThrow();
  server.close();
  databases.close();
  expect(JSON.parse(readFileSync(join(directory, 'contents.json'), 'utf8'))).toEqual([
    'log-marks.json',
    'shared-local-instance.db',
  ]);
});

test('an unwritable contents list never prevents a start', () => {
  const directory = newDirectory();
  const database = new DatabaseSync(join(directory, 'some.db'));
  database.exec('PRAGMA journal_mode = WAL; CREATE TABLE things (n)');
  const warnings: string[] = [];
  const opened = openDatabases(directory, (text) => warnings.push(text));
  opened.watch();
  expect(readFileSync(join(directory, 'contents.json'), 'utf8')).toContain('some.db-wal');
  // In the way of the new list, as a full disk would be.
  mkdirSync(join(directory, 'contents.json.tmp'));
  database.close();
  opened.close();
  expect(existsSync(join(directory, 'some.db-wal'))).toBe(false);
  const again = openDatabases(directory, (text) => warnings.push(text));
  again.watch();
  again.close();
  expect(warnings).toEqual([]);
});
