import { expect, test } from 'vitest';
import type { ServiceError } from '../../../../shared/core/errors/errors.ts';
import { readCsv } from '../../../../shared/domain/records/csv/parse-csv.ts';
import type { CsvColumns } from '../../../../shared/domain/records/csv/row-to-record.ts';
import { parseCsv } from './parse-csv.ts';

const columns: CsvColumns = { nameColumn: 'name', typeValue: 'place' };
const parse = (file: string | Uint8Array, given = columns) => parseCsv(file, given);

/** Each record as its name and metadata, and each error with its line. */
const read = async (file: string | Uint8Array, given?: CsvColumns) => {
  const { drafts, errors } = await parse(file, given);
  return {
    records: drafts.map(({ name, metadata }) => [name, metadata]),
    errors: errors.map(({ line, message }) => `${line}: ${message}`),
  };
};
/** Told before anything is read, so that nothing can have been stored. */
const refusal = async (file: string | Uint8Array, given = columns) => {
  try {
    await readCsv(typeof file === 'string' ? new TextEncoder().encode(file) : file, given);
  } catch (error) {
    const { code, message, details } = error as ServiceError;
    return { code, message, details };
  }
  return undefined;
};
const clean = [
  ['Oslo', { zip: '0150' }],
  ['Bergen', { zip: '5003' }],
];

test.each([
  ['commas', 'name,zip\nOslo,0150\nBergen,5003\n'],
  ['semicolons', 'name;zip\nOslo;0150\nBergen;5003\n'],
  ['tabs', 'name\tzip\nOslo\t0150\nBergen\t5003\n'],
  ['CRLF', 'name,zip\r\nOslo,0150\r\nBergen,5003\r\n'],
  ['CR alone', 'name,zip\rOslo,0150\rBergen,5003\r'],
  ['mixed line ends', 'name,zip\r\nOslo,0150\nBergen,5003\r'],
  ['no line end at the end', 'name,zip\nOslo,0150\nBergen,5003'],
  ['a byte order mark', '\ufeffname,zip\nOslo,0150\nBergen,5003'],
  ['a quoted header after the mark', '\ufeff"name","zip"\n"Oslo","0150"\n"Bergen","5003"'],
  ['empty lines anywhere', '\n\nname,zip\n\nOslo,0150\n   \nBergen,5003\n\n\n'],
  ['blanks around the header', ' name , zip \nOslo,0150\nBergen,5003'],
])('reads a file with %s', async (_, file) => {
  expect(await read(file)).toEqual({ records: clean, errors: [] });
});

test('reads Windows-1252 if the bytes are not UTF-8', async () => {
  const file = Buffer.from('name;city\nCaf\xe9 \x80;M\xfcnchen\n', 'latin1');
  expect((await read(file)).records).toEqual([['Café €', { city: 'München' }]]);
});

test('reads UTF-16 with a byte order mark, as spreadsheets save "Unicode text"', async () => {
  const file = Buffer.from('\ufeffname\tcity\nÅse\tTromsø\n', 'utf16le');
  expect((await read(file)).records).toEqual([['Åse', { city: 'Tromsø' }]]);
});

test('keeps cells as text and omits blank ones', async () => {
  const file = 'name,zip,big,date,flag,note,empty\nA,007,12345678901234567890,2024-01-02,true, padded ,\n';
  expect((await read(file)).records).toEqual([
    ['A', { zip: '007', big: '12345678901234567890', date: '2024-01-02', flag: 'true', note: ' padded ' }],
  ]);
});

test('keeps quotes, delimiters and line ends inside quotes', async () => {
  const file = 'name,note\r\nA,"one\r\ntwo, ""three"""\r\n"B, the second",x\r\n';
  expect((await read(file)).records).toEqual([
    ['A', { note: 'one\r\ntwo, "three"' }],
    ['B, the second', { note: 'x' }],
  ]);
});

test('keeps stray quotes', async () => {
  expect((await read('name,size\n27" screen,big\nsay "hi",small\n')).records).toEqual([
    ['27" screen', { size: 'big' }],
    ['say "hi"', { size: 'small' }],
  ]);
});

test('a semicolon file may contain decimal commas, and a comma file semicolons', async () => {
  expect((await read('name;price;sum\nA;1,5;2,5\nB;3,5;4,5\n')).records).toEqual([
    ['A', { price: '1,5', sum: '2,5' }],
    ['B', { price: '3,5', sum: '4,5' }],
  ]);
  expect((await read('name,tags\nA,x;y;z\nB,u;v;w\n')).records).toEqual([
    ['A', { tags: 'x;y;z' }],
    ['B', { tags: 'u;v;w' }],
  ]);
});

test('the requested columns determine the delimiter if the file is ambiguous', async () => {
  expect((await read('name;Lat, Lon, Alt\nA;1, 2, 3\nB;4, 5, 6\n')).records).toEqual([
    ['A', { 'Lat, Lon, Alt': '1, 2, 3' }],
    ['B', { 'Lat, Lon, Alt': '4, 5, 6' }],
  ]);
});

test('reads a file with one column', async () => {
  expect((await read('name\nA\n\nB\n')).records).toEqual([
    ['A', {}],
    ['B', {}],
  ]);
});

test('names repeated and blank headers, and keeps the others', async () => {
  expect((await read('name,a,a,,a_2,a, \nN,1,2,3,4,5,6\n')).records).toEqual([
    ['N', { a: '1', a_3: '2', column_4: '3', a_2: '4', a_4: '5', column_7: '6' }],
  ]);
});

test('accepts 5,002 columns, also with equal names, and rows that are wider', async () => {
  const { records, errors } = await read(
    `name${',c'.repeat(5_001)}\nN${',1'.repeat(5_001)}\nM${','.repeat(6_000)}\n`,
  );
  const [[name, metadata] = []] = records;
  expect([name, Object.keys(metadata ?? {}).length, Object.keys(metadata ?? {}).at(-1)]).toEqual([
    'N',
    5_001,
    'c_5001',
  ]);
  expect(errors).toEqual(['3: expected 5002 cells, as in the header, but found 6001']);
});

test('a header with many other delimiters is read with its own', async () => {
  const title = 'a,'.repeat(6_000);
  expect((await read(`name;${title}\nN;1\n`)).records).toEqual([['N', { [title]: '1' }]]);
});

test('a header with dots is a literal key', async () => {
  expect((await read('name,address.city\nN,Oslo\n')).records).toEqual([['N', { 'address.city': 'Oslo' }]]);
});

test('reports ragged rows by line and reads the others', async () => {
  expect(await read('name,a\nA,1\nB\nC,1,2\nD,4\nE,5,\n')).toEqual({
    records: [
      ['A', { a: '1' }],
      ['D', { a: '4' }],
    ],
    errors: [
      '3: expected 2 cells, as in the header, but found 1',
      '4: expected 2 cells, as in the header, but found 3',
      '6: expected 2 cells, as in the header, but found 3',
    ],
  });
});

test.each([
  ['LF', '\n'],
  ['CRLF', '\r\n'],
  ['CR', '\r'],
])('counts lines as editors do, after quoted line ends and empty lines (%s)', async (_, end) => {
  const file = ['name,a', 'A,"x', 'y', '', 'z"', '', '', 'B', '"C', 'c",1', '  ', 'D'].join(end);
  const { drafts, errors } = await parse(file);
  expect(drafts.map(({ line }) => line)).toEqual([2, 9]);
  expect(errors.map(({ line }) => line)).toEqual([8, 12]);
});

test('reports blank and overlong names and types, and duplicate names', async () => {
  const long = 'x'.repeat(501);
  const file = `name,kind\n ,t\nA,\n${long},t\nA,t\nA,u\nA,t\nB,${'y'.repeat(256)}\n`;
  const { drafts, errors } = await parse(file, { nameColumn: 'name', typeColumn: 'kind' });
  expect(drafts.map(({ type, name }) => [type, name])).toEqual([
    ['t', 'A'],
    ['u', 'A'],
  ]);
  expect(errors).toEqual([
    { line: 2, message: 'the name (column "name") is blank' },
    { line: 3, message: 'the type (column "kind") is blank' },
    { line: 4, message: expect.stringMatching(/^name: .*500/) },
    { line: 7, message: 'the same type and name as in line 5' },
    { line: 8, message: expect.stringMatching(/^type: .*255/) },
  ]);
});

test('reports a row whose metadata exceeds the limit', async () => {
  const { drafts, errors } = await parse(`name,a\nA,${'x'.repeat(256 * 1024)}\nB,1\n`);
  expect(drafts.map(({ name }) => name)).toEqual(['B']);
  expect(errors).toEqual([{ line: 2, message: expect.stringContaining('262144 bytes (256 KB)') }]);
});

test('reports a row with an unclosed quote and keeps those before it', async () => {
  expect(await read('name,a\nA,1\nB,"open\nC,3\n')).toEqual({
    records: [['A', { a: '1' }]],
    errors: ['3: a quote opens in this row and never closes; the rest of the file was not read'],
  });
});

test('prefers the type value over a type column, which then is an ordinary column', async () => {
  const file = 'name,kind\nA,x\n';
  expect((await parse(file, { typeColumn: 'kind' })).drafts).toMatchObject([
    { type: 'x', name: 'A', metadata: {} },
  ]);
  const valued = (await parse(file, { typeColumn: 'kind', typeValue: 'v' })).drafts;
  expect(valued).toMatchObject([{ type: 'v', name: 'A', metadata: { kind: 'x' } }]);
});

test('without a name column it uses the one called name, in any case', async () => {
  expect((await read('ID,Name\n1,A\n', { typeValue: 't' })).records).toEqual([['A', { ID: '1' }]]);
});

test.each([
  ['an empty file', '', 'file', 'NO_ROWS'],
  ['a file of blank lines', '\n \n\n', 'file', 'NO_ROWS'],
  ['a header alone', 'name,a\n', 'file', 'NO_ROWS'],
  ['binary data', '\x89PNG\r\n\x1a\n\0\0', 'file', 'NOT_CSV'],
  ['a JSON document', '{"name": "A"}', 'nameColumn', 'MISSING_COLUMN'],
  ['an HTML page', '<html>\n<body>\n', 'nameColumn', 'MISSING_COLUMN'],
  ['a header whose quote never closes', '\n"name,a\nA,1\n', 'file', 'UNCLOSED_QUOTE'],
  ['5,003 columns', `name${',c'.repeat(5_002)}\nA,1\n`, 'file', 'TOO_MANY_COLUMNS'],
  ['5,003 columns that are declared', `sep=,\nname${',c'.repeat(5_002)}\nA,1\n`, 'file', 'TOO_MANY_COLUMNS'],
  ['another name column', 'title,a\nA,1\n', 'nameColumn', 'MISSING_COLUMN'],
  ['a column __proto__', 'name,__proto__\nA,1\n', 'file', 'INVALID_COLUMN'],
])('400 for %s', async (_, file, path, code) => {
  expect(await refusal(file)).toMatchObject({
    code: 'VALIDATION',
    details: [expect.objectContaining({ path, code })],
  });
});

test('400 that names a missing type column and lists the existing ones', async () => {
  expect(await refusal('name;a\nA;1\n', { typeColumn: 'kind' })).toMatchObject({
    code: 'VALIDATION',
    details: [
      {
        path: 'typeColumn',
        code: 'MISSING_COLUMN',
        message: 'The file has no column "kind"; its columns are name, a',
      },
    ],
  });
});

test('accepts 10,000 rows; one more is a 413 with the advice to split', async () => {
  const rows = (count: number) => `name\n${Array.from({ length: count }, (_, n) => `row ${n}\n\n`).join('')}`;
  expect((await parse(rows(10_000))).drafts).toHaveLength(10_000);
  expect(await refusal(rows(10_001))).toEqual({
    code: 'TOO_LARGE',
    message: expect.stringContaining('split the file'),
    details: [],
  });
});

test('413 for a small file whose records would be very large together', async () => {
  const file = `name,${'h'.repeat(200_000)}\n${Array.from({ length: 1_000 }, (_, n) => `${n},x`).join('\n')}`;
  expect(await refusal(file)).toEqual({
    code: 'TOO_LARGE',
    message: expect.stringContaining('split the file'),
    details: [],
  });
});

test('reads a file of many pieces correctly, wherever they are split', async () => {
  const cells = (n: number) => [`row ${n}`, `😀${'é'.repeat(n % 7)}\r\n"${n}"`, '模😀'.repeat(n % 5) || 'x'];
  const count = 3_000;
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
  const rows = Array.from({ length: count }, (_, n) => cells(n).map(quoted).join(';'));
  const { drafts, errors } = await parse(`name;a;b\r\n${rows.join('\r\n')}`);
  expect(errors).toEqual([]);
  expect(drafts.map(({ name, metadata }) => [name, metadata.a, metadata.b])).toEqual(
    Array.from({ length: count }, (_, n) => cells(n)),
  );
  expect(drafts.map(({ line }) => line)).toEqual(Array.from({ length: count }, (_, n) => 2 + 2 * n));
});
