import { createHash } from 'node:crypto';
import { existsSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openObjectFiles } from '../../../../infra/local/queues/object-files.ts';
import { startQueues } from '../../../../infra/local/queues/queues.ts';
import { eventually } from '../../../support/stack/eventually.ts';
import { newDirectory } from '../../../support/stack/processes.ts';

const day = 86_400;

async function serve(directory = newDirectory()) {
  const files = openObjectFiles({
    ...{ directory, bucket: 'payloads', prefix: 'jobs/' },
    ...{ keptSeconds: 7 * day, uploadSeconds: day },
  });
  const server = createServer(async (incoming, response) => {
    if (!(await files.answer(incoming, response))) response.writeHead(404).end('left to fauxqs');
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
    rmSync(directory, { recursive: true, force: true });
  });
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/payloads/`;
  const ask = async (method: string, path: string, body?: string | Buffer, headers = {}) => {
    const response = await fetch(base + path, { method, headers, ...(body && { body: body as string }) });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  return { files, directory, ask, url: base };
}

const md5 = (text: string | Buffer) => createHash('md5').update(text).digest('hex');

test('an object is read as it was put, whole and by ranges, under the name that the address asks for', async () => {
  const { ask } = await serve();
  const put = await ask('PUT', 'jobs/a/one', 'hello world', { 'content-type': 'text/csv' });
  expect([put.status, put.headers.get('etag')]).toEqual([200, `"${md5('hello world')}"`]);
  const all = await ask('GET', 'jobs/a/one?response-content-disposition=attachment%3B%20filename%3D%22x%22');
  expect(all).toMatchObject({ status: 200, text: 'hello world' });
  expect(all.headers.get('content-type')).toBe('text/csv');
  expect(all.headers.get('content-disposition')).toBe('attachment; filename="x"');
  const part = (range: string) => ask('GET', 'jobs/a/one', undefined, { range });
  expect(await part('bytes=6-8')).toMatchObject({ status: 206, text: 'wor' });
  expect(await part('bytes=6-')).toMatchObject({ status: 206, text: 'world' });
  expect(await part('bytes=6-999')).toMatchObject({ status: 206, text: 'world' });
  expect(await part('bytes=-3')).toMatchObject({ status: 206, text: 'rld' });
  expect(await part('bytes=11-')).toMatchObject({ status: 416 });
  expect((await ask('HEAD', 'jobs/a/one')).headers.get('content-length')).toBe('11');
  // A key in another encoding of the address.
  expect((await ask('GET', 'jobs/%61/one')).text).toBe('hello world');
});

test('what is not there, or under another prefix, is left to fauxqs, and a deletion too', async () => {
  const { ask } = await serve();
  expect((await ask('GET', 'jobs/a/none')).text).toBe('left to fauxqs');
  expect((await ask('PUT', 'runs/one', 'x')).text).toBe('left to fauxqs');
  await ask('PUT', 'jobs/a/one', 'x');
  expect((await ask('DELETE', 'jobs/a/one')).text).toBe('left to fauxqs');
  expect((await ask('GET', 'jobs/a/one')).text).toBe('left to fauxqs');
});

test('an empty object is one', async () => {
  const { ask } = await serve();
  await ask('PUT', 'jobs/a/empty', undefined, { 'content-length': '0' });
  expect(await ask('GET', 'jobs/a/empty')).toMatchObject({ status: 200, text: '' });
});

test('a copy keeps what was copied, also when it is made again', async () => {
  const { ask, directory } = await serve();
  await ask('PUT', 'jobs/a/upload', 'first');
  const copy = () =>
    ask('PUT', 'jobs/a/source', undefined, { 'x-amz-copy-source': '/payloads/jobs/a/upload' });
  expect((await copy()).status).toBe(200);
  expect((await copy()).status).toBe(200);
  await ask('PUT', 'jobs/a/upload', 'second');
  expect((await ask('GET', 'jobs/a/source')).text).toBe('first');
  expect((await ask('GET', 'jobs/a/upload')).text).toBe('second');
  expect(readdirSync(join(directory, 'drafts'))).toEqual([]);
});

test('a body whose sender goes away leaves nothing', async () => {
  const { ask, directory, url } = await serve();
  const headers = { 'content-length': 9_999 };
  const sent = request(`${url}jobs/a/one`, { method: 'PUT', headers }).on('error', () => {});
  sent.write(Buffer.alloc(1_000));
  const drafts = () => readdirSync(join(directory, 'drafts'));
  await eventually(() => expect(drafts()).toHaveLength(1));
  sent.destroy();
  await eventually(() => expect(drafts()).toEqual([]));
  expect((await ask('GET', 'jobs/a/one')).status).toBe(404);
});

test('a body without a length, or over 5 GB, is refused, as by S3', async () => {
  const { url } = await serve();
  const statusOf = (headers: Record<string, string | number>) =>
    new Promise((resolve) => {
      const sent = request(`${url}jobs/a/one`, { method: 'PUT', headers }, ({ statusCode }) =>
        resolve(statusCode),
      );
      sent.on('error', () => {}).write('x');
      onTestFinished(() => void sent.destroy());
    });
  expect(await statusOf({ 'transfer-encoding': 'chunked' })).toBe(411);
  expect(await statusOf({ 'content-length': 5 * 1_024 ** 3 + 1 })).toBe(400);
});

test('drafts of a process that was killed are removed by the next', async () => {
  const { directory } = await serve();
  const draft = join(directory, 'drafts', 'left');
  writeFileSync(draft, 'x');
  await serve(directory);
  expect(existsSync(draft)).toBe(false);
});

test('objects expire by the rule of the bucket, and unfinished uploads by theirs', async () => {
  const { ask, files, directory } = await serve();
  await ask('PUT', 'jobs/a/old', 'x');
  for (const name of readdirSync(directory).filter((each) => each.endsWith('.object')))
    utimesSync(join(directory, name), new Date(), Date.now() / 1_000 - 6 * day);
  await ask('PUT', 'jobs/a/new', 'x');
  const { text } = await ask('POST', 'jobs/a/parts?uploads');
  const uploadId = /<UploadId>(.*?)</.exec(text)?.[1];
  await ask('PUT', `jobs/a/parts?partNumber=1&uploadId=${uploadId}`, 'x');
  await files.removeExpired();
  expect((await ask('GET', 'jobs/a/old')).status).toBe(200);
  await files.removeExpired(new Date(Date.now() + 1.1 * day * 1_000));
  expect((await ask('GET', 'jobs/a/old')).status).toBe(404);
  expect((await ask('GET', 'jobs/a/new')).status).toBe(200);
  expect((await ask('GET', `jobs/a/parts?uploadId=${uploadId}`)).status).toBe(404);
});

const mega = 1_024 ** 2;
const listOf = (parts: [number, string | null][]) =>
  `<CompleteMultipartUpload>${parts.map(([number, etag]) => `<Part><PartNumber>${number}</PartNumber><ETag>${etag}</ETag></Part>`).join('')}</CompleteMultipartUpload>`;

test('an upload in parts becomes one object, by the rules of S3', async () => {
  const { ask } = await serve();
  const begun = await ask('POST', 'jobs/a/parts?uploads', undefined, { 'content-type': 'text/plain' });
  const uploadId = /<UploadId>(.*?)</.exec(begun.text)?.[1];
  const put = async (number: number, bytes: Buffer) =>
    (await ask('PUT', `jobs/a/parts?partNumber=${number}&uploadId=${uploadId}`, bytes)).headers.get('etag');
  const [one, two, three] = [Buffer.alloc(5 * mega, 'a'), Buffer.alloc(5 * mega, 'b'), Buffer.from('end')];
  const third = await put(3, three);
  await put(1, Buffer.from('too small'));
  const small = (await ask('GET', `jobs/a/parts?uploadId=${uploadId}`)).text;
  expect(small.match(/<PartNumber>\d+/g)).toEqual(['<PartNumber>1', '<PartNumber>3']);
  const complete = (parts: [number, string | null][]) =>
    ask('POST', `jobs/a/parts?uploadId=${uploadId}`, listOf(parts));
  expect(
    (
      await complete([
        [1, md5('too small')],
        [3, third],
      ])
    ).text,
  ).toContain('EntityTooSmall');
  const first = await put(1, one);
  const second = await put(2, two);
  expect((await complete([[1, md5('too small')]])).text).toContain('InvalidPart');
  expect(
    (
      await complete([
        [2, second],
        [1, first],
      ])
    ).text,
  ).toContain('InvalidPartOrder');
  expect((await complete([])).text).toContain('MalformedXML');
  for (const number of [0, 10_001])
    expect((await ask('PUT', `jobs/a/parts?partNumber=${number}&uploadId=${uploadId}`, 'x')).status).toBe(
      400,
    );
  expect((await ask('GET', 'jobs/a/parts')).status).toBe(404);
  const done = await complete([
    [1, first],
    [2, second],
    [3, third],
  ]);
  const whole = Buffer.concat([one, two, three].map((part) => Buffer.from(md5(part), 'hex')));
  expect(done.text).toContain(`"${md5(whole)}-3"`);
  const found = await ask('GET', 'jobs/a/parts');
  expect(found.headers.get('content-type')).toBe('text/plain');
  expect(md5(found.text)).toBe(md5(Buffer.concat([one, two, three])));
  expect((await complete([[1, first]])).text).toContain('NoSuchUpload');
});

test('an upload can be given up', async () => {
  const { ask } = await serve();
  const uploadId = /<UploadId>(.*?)</.exec((await ask('POST', 'jobs/a/parts?uploads')).text)?.[1];
  expect((await ask('DELETE', `jobs/a/parts?uploadId=${uploadId}`)).status).toBe(204);
  expect((await ask('PUT', `jobs/a/parts?partNumber=1&uploadId=${uploadId}`, 'x')).status).toBe(404);
  // An upload of another key.
  const other = /<UploadId>(.*?)</.exec((await ask('POST', 'jobs/a/other?uploads')).text)?.[1];
  expect((await ask('PUT', `jobs/a/parts?partNumber=1&uploadId=${other}`, 'x')).status).toBe(404);
});

test('the server of S3 removes what has expired when it starts', async () => {
  const dataDir = newDirectory();
  const directory = join(dataDir, 'objects');
  const { ask } = await serve(directory);
  await ask('PUT', 'jobs/a/never-started', 'x');
  await ask('PUT', 'jobs/a/new', 'x');
  const age = Date.now() / 1_000 - 8 * day;
  const [old = ''] = readdirSync(directory).filter((name) => name.endsWith('.object'));
  utimesSync(join(directory, old), age, age);
  const queues = await startQueues(dataDir);
  onTestFinished(queues.stop);
  await eventually(() => expect(existsSync(join(directory, old))).toBe(false));
  expect(readdirSync(directory).filter((name) => name.endsWith('.object'))).toHaveLength(1);
});
