import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ensureTable } from '../../../infra/local/dynamodb/table.ts';
import { documentClient } from '../../../shared/platform/data/client.ts';
import { type Versions, versionedBucket } from '../../support/data/versioned-bucket.ts';
import { operatorAccount } from '../../support/stack/operator-account.ts';
import { runCommand } from '../../support/stack/run-command.ts';
import { stack } from '../../support/stack/stack.ts';

const packed = gzipSync('{"kept": true}');
const pointerOf = (name: string) => `org:acme/${name}.json.gz`;
const client = documentClient();
const started: { close: () => void }[] = [];
let TableName: string;
beforeEach(async () => {
  TableName = `check-${randomUUID()}`;
  await ensureTable(TableName);
});
afterEach(() => {
  for (const server of started.splice(0)) server.close();
});

const put = (SK: string, item: object) =>
  client.send(new PutCommand({ TableName, Item: { PK: 'T#org:acme#RECORD#1', SK, ...item } }));

/** A key with its credential. */
async function putKey(id: string): Promise<void> {
  const hash = randomUUID();
  await put(id, { _type: 'apiKey', id, hash });
  const Item = { PK: `CREDENTIAL#${hash}`, SK: 'CREDENTIAL', _type: 'credential', keyId: id, hash };
  await client.send(new PutCommand({ TableName, Item }));
}

/** Runs the command on a deployment whose bucket has these objects. */
async function check(objects: Versions, ...args: string[]) {
  const bucket = await versionedBucket('payloads', objects);
  const outputs = { Url: stack().url, TableName, PayloadBucket: 'payloads' };
  const account = await operatorAccount({ outputs });
  started.push(bucket, account);
  const env = {
    ...account.env,
    AWS_ENDPOINT_URL_DYNAMODB: stack().aws.dynamodb,
    AWS_ENDPOINT_URL_S3: bucket.url,
  };
  const run = await runCommand('infra/operations/check-pointers.ts', ['-c', 'env=dev', ...args], env);
  return { ...run, report: run.stdout ? JSON.parse(run.stdout) : undefined, requests: bucket.requests };
}

test('a table whose payloads and credentials are all there passes, and nothing is written', async () => {
  await putKey('key_1');
  const [one, two, three] = ['one', 'two', 'three'].map(pointerOf);
  const summary = { pointers: [one, two] };
  await put('STEPS#1', { _type: 'checkpoint', summary, results: [{ output: { pointer: one, bytes: 14 } }] });
  await put('FLOW', { _type: 'flow', steps: { pointer: three, bytes: 14 }, name: { pointer: 'a name' } });
  const objects = Object.fromEntries(['one', 'two', 'three'].map((name) => [pointerOf(name), [packed]]));
  const { code, report, stderr, requests } = await check(objects);
  expect([code, stderr]).toEqual([0, expect.stringContaining('All 3 payloads and 1 API keys')]);
  expect(report).toMatchObject({ items: { apiKey: 1, credential: 1, checkpoint: 1, flow: 1 }, pointers: 3 });
  expect(new Set(requests)).toEqual(new Set(['GET']));
});

test('payloads of conversations are checked too', async () => {
  const pointer = 'conversations/org:acme/conv_1/one.json.gz';
  await put('MESSAGE#1', { _type: 'message', content: { pointer, bytes: 14 } });
  expect((await check({ [pointer]: [packed] })).report).toMatchObject({ pointers: 1, missing: [] });
  expect((await check({})).report).toMatchObject({ missing: [pointer] });
});

test('missing and damaged payloads and unpaired keys are reported, and the command fails', async () => {
  await put('key_2', { _type: 'apiKey', id: 'key_2', hash: 'of no credential' });
  const [gone, cut, text] = ['gone', 'cut', 'text'].map(pointerOf);
  await put('STEPS#1', { summary: { pointers: [gone, cut, text] } });
  const objects = { [`${cut}`]: [packed.subarray(0, 20)], [`${text}`]: [Buffer.from('{}')] };
  const { code, report, stderr } = await check(objects);
  expect([code, stderr]).toEqual([1, expect.stringContaining('1 objects are not in the bucket; 2 objects')]);
  expect(report).toMatchObject({ missing: [gone], unpairedKeys: ['key_2'] });
  expect(report.unreadable.toSorted()).toEqual([cut, text].toSorted());
});

test('--recover brings deleted payloads back, by name of the restored table, and names those without a version', async () => {
  const [deleted, twice, purged] = ['deleted', 'twice', 'purged'].map(pointerOf) as [string, string, string];
  await put('STEPS#1', { summary: { pointers: [deleted, twice, purged] } });
  const objects: Versions = {
    [deleted]: [packed, 'deleted'],
    [twice]: [packed, 'deleted', 'deleted'],
    [purged]: ['deleted'],
    [`${deleted}.other`]: [packed, 'deleted'],
  };
  const first = await check(objects, '--table', TableName, '--recover');
  expect([first.code, first.stderr]).toEqual([1, expect.stringContaining('S3 has no version')]);
  expect(first.report.missing).toEqual([purged]);
  expect(objects).toEqual({
    [deleted]: [packed],
    [twice]: [packed],
    [purged]: ['deleted'],
    [`${deleted}.other`]: [packed, 'deleted'],
  });
  const second = await check(objects, '--table', TableName);
  expect(second.report).toMatchObject({ pointers: 3, missing: [purged] });
});
