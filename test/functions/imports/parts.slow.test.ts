import { once } from 'node:events';
import { openAsBlob } from 'node:fs';
import { open } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { newCli } from '../../support/command-line/cli.ts';
import { finish } from '../../support/data/imports.ts';
import { newTenant } from '../../support/stack/stack.ts';

const rows = 72;
/** Lines without content are no rows. */
const padding = ' '.repeat(1_900_000);

async function writeLarge(folder: string): Promise<{ path: string; file: Blob }> {
  const path = join(folder, 'large.jsonl');
  await using file = await open(path, 'w');
  for (let n = 0; n < rows; n++) await file.write(`{"name":"row ${n}","n":${n}}\n${padding}\n`);
  return { path, file: await openAsBlob(path) };
}

interface Part {
  partNumber: number;
  bytes: number;
  url: string;
  isUploaded: boolean;
}
const sendPart = async (
  file: Blob,
  { partNumber, bytes, url }: Part,
  from = (partNumber - 1) * 67_108_864,
) => {
  const sent = await fetch(url, { method: 'PUT', body: file.slice(from, from + bytes) });
  expect(sent.status).toBe(200);
};

test('a file of more than 100 MB is sent in parts, in any order and again, and the start puts them together', async () => {
  const { folder } = await newCli();
  const { file } = await writeLarge(folder);
  const tenant = await newTenant();
  const source = { upload: { fileName: 'large.jsonl', bytes: file.size } };
  const created = await tenant.call('POST', '/v1/imports', { body: { source, type: 'place' } });
  const { id, upload } = created.body;
  const parts: Part[] = upload.parts;
  expect(parts.map(({ partNumber, bytes, isUploaded }) => [partNumber, bytes, isUploaded])).toEqual([
    [1, 67_108_864, false],
    [2, 67_108_864, false],
    [3, file.size - 2 * 67_108_864, false],
  ]);
  const start = (body = {}) => tenant.call('POST', `/v1/imports/${id}/start`, { body });
  expect((await start()).body).toMatchObject({ details: [{ code: 'UPLOAD_MISSING' }] });
  const [first, second, third] = parts as [Part, Part, Part];
  await sendPart(file, third);
  await sendPart(file, { ...first, bytes: 1_000 });
  const { body } = await tenant.call('GET', `/v1/imports/${id}`);
  expect(body.upload.parts.map((part: Part) => part.isUploaded)).toEqual([false, false, true]);
  expect(JSON.stringify((await start({ dryRun: true })).body)).toContain('1, 2');
  // The addresses that are signed later do the same.
  await sendPart(file, body.upload.parts[1]);
  await sendPart(file, first);
  await sendPart(file, second);
  const dryRun = await start({ dryRun: true });
  expect(dryRun).toMatchObject({ status: 200, body: { problems: [] } });
  expect(dryRun.body.rows[0]).toMatchObject({ name: 'row 0', metadata: { n: 0 } });
  expect(await finish(tenant, id, 60_000)).toMatchObject({
    status: 'completed',
    rows: { read: rows, created: rows, failed: 0 },
    bytes: { total: file.size },
  });
  expect((await tenant.call('GET', `/v1/imports/${id}`)).body.upload).toBeNull();
}, 120_000);

test('the whole of a large file can be sent too, and a smaller one has no parts', async () => {
  const { folder } = await newCli();
  const { file } = await writeLarge(folder);
  const tenant = await newTenant();
  const create = (bytes: number) =>
    tenant.call('POST', '/v1/imports', {
      body: { source: { upload: { fileName: 'large.jsonl', bytes } }, type: 'place' },
    });
  expect((await create(100_000_000)).body.upload.parts).toBeNull();
  const { id, upload } = (await create(file.size)).body;
  await sendPart(file, upload.parts[0]);
  expect((await fetch(upload.url, { method: 'PUT', body: file })).status).toBe(200);
  expect(await finish(tenant, id, 60_000)).toMatchObject({ status: 'completed', rows: { created: rows } });
}, 120_000);

test('starts and dry runs at once put the parts together once', async () => {
  const { folder } = await newCli();
  const { file } = await writeLarge(folder);
  const tenant = await newTenant();
  const source = { upload: { fileName: 'large.jsonl', bytes: file.size } };
  const { id, upload } = (await tenant.call('POST', '/v1/imports', { body: { source, type: 'place' } })).body;
  for (const part of upload.parts) await sendPart(file, part);
  const start = (body = {}) => tenant.call('POST', `/v1/imports/${id}/start`, { body });
  const answers = await Promise.all([start(), start(), start(), start({ dryRun: true })]);
  const statuses = answers.slice(0, 3).map(({ status }) => status);
  expect(statuses.sort()).toEqual([202, 409, 409]);
  expect([200, 409]).toContain(answers[3]?.status);
}, 120_000);

test('a file may take longer than a body of the API', async () => {
  const tenant = await newTenant();
  const source = { upload: { fileName: 'slow.csv' } };
  const { id, upload } = (await tenant.call('POST', '/v1/imports', { body: { source, type: 'place' } })).body;
  const lines = ['name\n', ...Array.from({ length: 14 }, (_, n) => `row ${n}\n`)];
  const sent = request(upload.url, {
    method: 'PUT',
    headers: { 'content-length': Buffer.byteLength(lines.join('')) },
  });
  const answered = once(sent, 'response');
  for (const line of lines) {
    sent.write(line);
    await sleep(1_000);
  }
  sent.end();
  const [{ statusCode }] = await answered;
  expect(statusCode).toBe(200);
  expect(await finish(tenant, id)).toMatchObject({ status: 'completed', rows: { created: 14 } });
}, 60_000);

test('the command line sends the parts that are missing of an upload that broke off', async () => {
  const cli = await newCli();
  const { path, file } = await writeLarge(cli.folder);
  const source = { upload: { fileName: 'large.jsonl', bytes: file.size } };
  const created = await cli.tenant.call('POST', '/v1/imports', { body: { source, type: 'place' } });
  const { id, upload } = created.body;
  await sendPart(file, upload.parts[1]);
  const other = await cli.run(['records', 'import', 'package.json', '--continue', id]);
  expect(other.code).toBe(1);
  const watched = await cli.run(['records', 'import', path, '--continue', id, '--watch']);
  expect([watched.stderr, watched.stdout]).toEqual([
    '',
    `completed: ${rows} created, 0 updated, 0 unchanged, 0 failed\n`,
  ]);
  const whole = await cli.run(['records', 'import', path, '--type', 'whole', '--upsert', '--watch']);
  expect(whole.stderr).toMatch(/^Import import_\w+\n/);
}, 120_000);
