import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newCli } from '../../support/command-line/cli.ts';
import { publishedFlow, template } from '../../support/flows/flows.ts';

test('run --file imports a file, runs the flow on its records alone, and writes a table', async () => {
  const cli = await newCli();
  await publishedFlow(cli.tenant, [template('hello {{ _record.name }}', 'greeting')]);
  await cli.tenant.call('POST', '/v1/records', { body: { type: 'data.csv', name: 'other' } });
  writeFileSync(join(cli.folder, 'data.csv'), 'name,n\nAda,1\nBob,2\n');
  const { code, stdout, stderr } = await cli.run([
    'run',
    'A flow',
    '--file',
    'data.csv',
    '--out',
    'results.csv',
  ]);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^completed: 2 of 2 records succeeded/)]);
  expect(stderr).toBe(
    'Import completed: 2 created, 0 updated, 0 unchanged, 0 failed\n2 rows in results.csv\n',
  );
  const [head, ...rows] = readFileSync(join(cli.folder, 'results.csv'), 'utf8').trim().split('\r\n');
  expect(head).toMatch(/^recordId,recordName,record\.n,greeting,status,error,cost,tokens,durationMs/);
  expect(rows.map((row) => row.split(',').slice(1, 5)).toSorted()).toEqual([
    ['Ada', '1', 'hello Ada', 'completed'],
    ['Bob', '2', 'hello Bob', 'completed'],
  ]);
});

test('records import follows to the end with --watch, and export writes what it created', async () => {
  const cli = await newCli();
  writeFileSync(join(cli.folder, 'people.jsonl'), '{"name":"Ada","n":1}\n{"n":2}\n');
  const watched = await cli.run(['records', 'import', 'people.jsonl', '--type', 'person', '--watch']);
  expect([watched.code, watched.stdout]).toEqual([
    1,
    expect.stringMatching(
      /^completed: 1 created, 0 updated, 0 unchanged, 1 failed\nThe rows that were skipped.*http/,
    ),
  ]);
  const [{ importId }] = (await cli.tenant.call('GET', '/v1/records?type=person')).body.data;
  const exported = await cli.run(['records', 'export', '--import', importId, '--format', 'jsonl']);
  expect(exported.stdout).toBe('{"name":"Ada","type":"person","n":1}\n');
  writeFileSync(join(cli.folder, 'people.csv'), 'name,n\nAda,5\n');
  const upsert = await cli.json([
    'records',
    'import',
    'people.csv',
    '--type',
    'person',
    '--upsert',
    '--watch',
  ]);
  expect(upsert).toMatchObject({ status: 'completed', rows: { updated: 1 } });
  const missing = await cli.run(['records', 'import', 'none.csv']);
  expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('none.csv cannot be read')]);
});

test('batch export writes the table of a batch in the format that the name of the file says', async () => {
  const cli = await newCli();
  const flow = await publishedFlow(cli.tenant, [template('x', 'greeting')]);
  await cli.tenant.call('POST', '/v1/records', { body: { type: 'thing', name: 'one' } });
  await cli.run(['run', flow.id, '--type', 'thing']);
  const runs = (await cli.tenant.call('GET', '/v1/runs?kind=batch')).body.data;
  const { code, stderr } = await cli.run(['batch', 'export', runs[0].id, '--output', 'table.parquet']);
  expect([code, stderr]).toEqual([0, '1 rows in table.parquet\n']);
  expect(readFileSync(join(cli.folder, 'table.parquet'), 'latin1')).toMatch(/^PAR1/);
});
