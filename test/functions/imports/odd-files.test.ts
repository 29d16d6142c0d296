import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { allRecords, finish, importFile, upload } from '../../support/data/imports.ts';
import { oddFiles } from '../../support/data/odd-files.ts';
import { newTenant } from '../../support/stack/stack.ts';

test.concurrent.each(Object.entries(oddFiles))(
  'reads %s',
  async (_what, { file, options, records, failed = 0 }) => {
    const tenant = await newTenant();
    const body = await importFile(tenant, file, options);
    expect(body).toMatchObject({ status: 'completed', rows: { failed } });
    const found = await allRecords(tenant);
    for (const [name, metadata] of records)
      expect(found.find((record: { name: string }) => record.name === name)).toEqual({
        name,
        type: 'place',
        metadata,
      });
    if (records.length > 1) expect(found).toHaveLength(records.length);
  },
);

const csv = 'name,n\na,1\nb,2\n';
const packed = gzipSync(Array.from({ length: 5_000 }, (_, n) => `{"name":"${n}"}`).join('\n'));

const broken: [what: string, file: string | Uint8Array, options: object, code: string, created: number][] = [
  [
    'a Parquet file that is said to be CSV',
    Buffer.from('PAR1 and more'),
    { format: 'csv' },
    'WRONG_FORMAT',
    0,
  ],
  ['CSV that is said to be Parquet', csv, { format: 'parquet' }, 'WRONG_FORMAT', 0],
  ['CSV that is said to be JSON Lines', csv, { format: 'jsonl' }, 'WRONG_FORMAT', 0],
  ['JSON Lines that are said to be CSV', '{"name":"a"}\n', { format: 'csv' }, 'WRONG_FORMAT', 0],
  ['one JSON list', '[{"name":"a"}]', {}, 'WRONG_FORMAT', 0],
  ['a workbook', Buffer.from('PK\x03\x04\0\0\0'), {}, 'WRONG_FORMAT', 0],
  ['a file without a byte', '', {}, 'NO_ROWS', 0],
  ['a header alone', 'name,n\n', {}, 'NO_ROWS', 0],
  ['a file without a column of names', 'a,b\n1,2\n', {}, 'MISSING_COLUMN', 0],
  [
    '20,000 columns',
    `name,${Array.from({ length: 20_000 }, (_, n) => `c${n}`).join(',')}\n`,
    {},
    'TOO_MANY_COLUMNS',
    0,
  ],
  ['a quote that never closes', `${csv}c,"open\nd,4\n`, {}, 'UNCLOSED_QUOTE', 2],
  [
    'a gzip file that breaks off',
    packed.subarray(0, packed.length - 20),
    { fileName: 'a.jsonl.gz' },
    'BROKEN_GZIP',
    -1,
  ],
  [
    'gzip with something behind zeros',
    Buffer.concat([gzipSync('{"name":"a"}\n'), Buffer.alloc(20_000), gzipSync('{"name":"b"}\n')]),
    { fileName: 'a.jsonl.gz' },
    'BROKEN_GZIP',
    1,
  ],
  ['a cut Parquet file', Buffer.from(`PAR1${'x'.repeat(100)}`), {}, 'BROKEN_PARQUET', 0],
  ['NUL in CSV', 'name,n\na,\0\n', {}, 'NOT_CSV', 0],
  [
    'an encoding that cannot be told',
    Buffer.from([0x6e, 0x61, 0x6d, 0x65, 0x0a, 0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2, 0x0a]),
    {},
    'UNKNOWN_ENCODING',
    0,
  ],
  [
    'two columns in one place',
    csv,
    { columns: { n: { to: 'x' } }, file: 'name,n,x\na,1,2\n' },
    'DUPLICATE_TARGET',
    0,
  ],
];

test.concurrent.each(broken)('refuses %s, and says why', async (_what, file, options, code, created) => {
  const tenant = await newTenant();
  const { file: other = file, ...settings } = options as { file?: string };
  const body = await importFile(tenant, other, settings);
  expect(body).toMatchObject({ status: 'failed', error: { code } });
  if (created >= 0) expect(body.rows.created).toBe(created);
  else expect(body.error.message).toMatch(/after row \d+/);
});

test('a file that unpacks to a thousand times its size is refused', async () => {
  const tenant = await newTenant();
  const bomb = gzipSync(Buffer.concat([Buffer.from('name\na\n'), Buffer.alloc(100_000_000, 0x20)]));
  expect(bomb.length).toBeLessThan(200_000);
  const id = await upload(tenant, bomb);
  expect(await finish(tenant, id)).toMatchObject({
    status: 'failed',
    error: { code: expect.stringMatching(/BOMB|QUOTE/) },
  });
});
