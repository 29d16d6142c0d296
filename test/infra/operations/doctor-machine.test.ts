import { once } from 'node:events';
import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { claimDataDir } from '../../../infra/local/runtime/data-dir.ts';
import { runCommand } from '../../support/stack/run-command.ts';

async function doctor(environment: Record<string, string>) {
  const { code, stdout } = await runCommand('infra/operations/doctor.ts', ['--json'], {
    PORT: '0',
    CHROMIUM: process.execPath,
    OPENAI_API_KEY: 'sk-value-of-the-key',
    ...environment,
  });
  const results = JSON.parse(stdout) as { id: string; status: string; message: string }[];
  return { code, stdout, byId: new Map(results.map((result) => [result.id, result])) };
}
const temporary = () => mkdtempDisposableSync(join(tmpdir(), 'doctor-'));

test('a machine with everything passes, and the keys of model providers are named but not shown', async () => {
  using directory = temporary();
  const { code, stdout, byId } = await doctor({ DATA_DIR: directory.path });
  expect([...byId.values()].filter(({ status }) => status !== 'ok')).toEqual([]);
  expect(code).toBe(0);
  expect(byId.get('models')?.message).toContain('OPENAI_API_KEY');
  expect(stdout).not.toContain('sk-value');
});

test('a port in use and a locked data directory are warnings, because the service may be running', async () => {
  using directory = temporary();
  const { release } = claimDataDir(directory.path);
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const { code, byId } = await doctor({ DATA_DIR: directory.path, PORT: String(port) });
  server.close();
  release();
  expect(byId.get('port')).toMatchObject({ status: 'warning', message: `127.0.0.1:${port} is in use` });
  expect(byId.get('data-dir')).toMatchObject({
    status: 'warning',
    message: expect.stringMatching(/running instance/),
  });
  expect(code).toBe(0);
});

test('the sizes of the data name each file, and each kind of item with how many of it expire', async () => {
  using directory = temporary();
  const database = new DatabaseSync(join(directory.path, 'dynoxide.db'));
  database.exec(`CREATE TABLE _tables (table_name TEXT); INSERT INTO _tables VALUES ('t-1');
    CREATE TABLE "t-1" (item_json TEXT, item_size INTEGER)`);
  const insert = database.prepare('INSERT INTO "t-1" VALUES (?, 1024)');
  for (const ttl of [{ ttl: { N: '1' } }, {}]) insert.run(JSON.stringify({ _type: { S: 'run' }, ...ttl }));
  database.close();
  const { stdout } = await runCommand('infra/operations/doctor.ts', ['--local', '--json'], {
    DATA_DIR: directory.path,
  });
  expect(JSON.parse(stdout)).toMatchObject([
    { id: 'file:dynoxide.db', message: expect.stringContaining('flows, records, results and keys') },
    { id: 'kind:run', message: '2.0 KB in 2, of which 1 expire' },
  ]);
});

test('the sizes of a directory without data are a problem that says what to do', async () => {
  using directory = temporary();
  const { code, stdout } = await runCommand('infra/operations/doctor.ts', ['--local', '--json'], {
    DATA_DIR: join(directory.path, 'nothing'),
  });
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject([
    { status: 'problem', advice: expect.stringContaining('DATA_DIR') },
  ]);
});

test('a data directory that is a file is a problem', async () => {
  using directory = temporary();
  const file = join(directory.path, 'file');
  writeFileSync(file, '');
  const { code, byId } = await doctor({ DATA_DIR: join(file, 'data') });
  expect(byId.get('data-dir')).toMatchObject({
    status: 'problem',
    message: `${file} is no writable directory`,
  });
  expect(code).toBe(1);
});

test('a machine without an engine, and a wrong port, get what to do', async () => {
  const { code, byId } = await doctor({ TABLE_ENGINE: 'dynamodb-local', PATH: '', PORT: 'web' });
  expect(byId.get('engine')).toMatchObject({
    status: 'problem',
    message: expect.stringMatching(/needs Java 17/),
  });
  expect(byId.get('port')).toMatchObject({
    status: 'problem',
    advice: expect.stringMatching(/from 0 to 65535/),
  });
  expect(code).toBe(1);
});
