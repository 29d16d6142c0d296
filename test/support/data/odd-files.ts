import { gzipSync } from 'node:zlib';
import { parquetWriteBuffer } from 'hyparquet-writer';

const utf16 = (text: string) => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]);
const latin = (text: string) => Buffer.from(text, 'latin1');
const long = 'x'.repeat(300_000);

export interface OddFile {
  file: string | Uint8Array;
  options?: Record<string, unknown>;
  records: [name: string, metadata: object][];
  failed?: number;
}

/** Those that name a project are of reports about its import. */
export const oddFiles: Record<string, OddFile> = {
  'a mark of UTF-8, as Excel writes it (directus 12970, dotCMS 36508)': {
    file: '\ufeffname,n\r\nÅse,1\r\n',
    records: [['Åse', { n: 1 }]],
  },
  'UTF-16 with a mark': { file: utf16('name;n\r\nÅse;1\r\n'), records: [['Åse', { n: 1 }]] },
  'Windows-1252 that nobody named': {
    file: latin('name,city\nJosé,Málaga\nZoë,Liège\n'),
    records: [
      ['José', { city: 'Málaga' }],
      ['Zoë', { city: 'Liège' }],
    ],
  },
  'an encoding that is named': {
    file: Buffer.from([...Buffer.from('name,a\n'), 0xcf, 0xf0, 0x2c, 0xe8, 0x0a]),
    options: { csv: { encoding: 'windows-1251' } },
    records: [['Пр', { a: 'и' }]],
  },
  'line ends of old Macs': {
    file: 'name,n\ra,1\rb,2\r',
    records: [
      ['a', { n: 1 }],
      ['b', { n: 2 }],
    ],
  },
  'quotes, and line breaks in them (sqlitebrowser 542)': {
    file: 'name,note\n"a ""b""","one\ntwo\r\nthree"\nc,"he said 5"" pipe"\nd,12" rule\n',
    records: [
      ['a "b"', { note: 'one\ntwo\r\nthree' }],
      ['c', { note: 'he said 5" pipe' }],
      ['d', { note: '12" rule' }],
    ],
  },
  'tabs, and a delimiter that is declared for Excel': {
    file: 'sep=|\nname|n\na|1\n',
    records: [['a', { n: 1 }]],
  },
  'numbers beyond 2^53, with 30 digits, with zeros in front, and with an exponent': {
    file: 'name,big,longer,zip,code,fraction\na,9007199254740993,123456789012345678901234567890,00123,1E5,0.1234567890123456789\n',
    records: [
      [
        'a',
        {
          big: '9007199254740993',
          longer: '123456789012345678901234567890',
          zip: '00123',
          code: '1E5',
          fraction: '0.1234567890123456789',
        },
      ],
    ],
  },
  'a later cell that is no number': {
    file: `name,n\n${Array.from({ length: 1_000 }, (_, n) => `r${n},${n}`).join('\n')}\nlast,unknown\n`,
    records: [['last', { n: 'unknown' }]],
  },
  'empty cells as null': {
    file: 'name,n,t\na,,\nb,1,x\n',
    options: { emptyAs: 'null' },
    records: [
      ['a', { n: null, t: null }],
      ['b', { n: 1, t: 'x' }],
    ],
  },
  'empty cells as text': {
    file: 'name,t\na,\nb,x\n',
    options: { emptyAs: 'text' },
    records: [
      ['a', { t: '' }],
      ['b', { t: 'x' }],
    ],
  },
  'repeated and blank headers': {
    file: 'name,a,a,\nx,1,2,3\n',
    records: [['x', { a: 1, a_2: 2, column_4: 3 }]],
  },
  'no header': {
    file: 'x,1\ny,2\n',
    options: { csv: { header: false }, nameColumn: 'column_1' },
    records: [
      ['x', { column_2: 1 }],
      ['y', { column_2: 2 }],
    ],
  },
  'dates of three customs, which stay text': {
    file: 'name,iso,german,american\na,2026-11-30,30.11.2026,11/30/2026\n',
    records: [['a', { iso: '2026-11-30', german: '30.11.2026', american: '11/30/2026' }]],
  },
  'emoji, right-to-left and combining letters': {
    file: 'name,t\n👩‍👩‍👧,שלום\nمرحبا,e\u0301\n',
    records: [
      ['👩‍👩‍👧', { t: 'שלום' }],
      ['مرحبا', { t: 'e\u0301' }],
    ],
  },
  'formulas with the apostrophe of an export': { file: "name,f\n'=a,'+1\n", records: [['=a', { f: '+1' }]] },
  'a column named like a member of objects': {
    file: 'name,constructor,toString\na,1,2\n',
    records: [['a', { constructor: 1, toString: 2 }]],
  },
  'a row of 300 KB between others': {
    file: `name,t\na,1\nb,${long}\nc,3\n`,
    records: [
      ['a', { t: '1' }],
      ['c', { t: '3' }],
    ],
    failed: 1,
  },
  'blank lines, and one without an end (flatterer 35, id3c 314)': {
    file: '{"name":"a"}\n\n  \n{"name":"b"}',
    options: { fileName: 'a.ndjson' },
    records: [
      ['a', {}],
      ['b', {}],
    ],
  },
  'line separators of Unicode inside of texts (birdclaw 61)': {
    file: '{"name":"a","t":"one\u2028two\u2029three"}\n',
    options: { fileName: 'a.jsonl' },
    records: [['a', { t: 'one\u2028two\u2029three' }]],
  },
  'nulls, nested values, NUL and surrogates in JSON': {
    file: '{"name":"a","n":null,"o":{"p":[{"q":1}]},"z":"\\u0000"}\n{"name":"b","x":{"__proto__":1}}\n',
    options: { fileName: 'a.jsonl' },
    records: [['a', { n: null, o: { p: [{ q: 1 }] }, z: '\u0000' }]],
    failed: 1,
  },
  'lines of JSON that are no objects, NaN, a cut line, and one of 3 MB': {
    file: `{"name":"a","n":1}\n[1]\n"text"\n{"name":"b","n":NaN}\n{"name":"c"\n{"name":"${'y'.repeat(3_000_000)}"}\n{"name":"d","n":"x"}\n`,
    options: { fileName: 'a.jsonl' },
    records: [
      ['a', { n: 1 }],
      ['d', { n: 'x' }],
    ],
    failed: 5,
  },
  'Parquet with whole numbers of 64 bits, times, lists and nulls': {
    file: Buffer.from(
      parquetWriteBuffer({
        columnData: [
          { name: 'name', data: ['a', 'b'], type: 'STRING' },
          { name: 'big', data: [9007199254740993n, 2n], type: 'INT64' },
          {
            name: 'at',
            data: [new Date('2026-11-30T01:02:03.004Z'), null],
            type: 'TIMESTAMP',
            nullable: true,
          },
          { name: 'real', data: [1.5, Number.NaN], type: 'DOUBLE' },
        ],
      }),
    ),
    options: { fileName: 'a.parquet' },
    records: [
      ['a', { big: '9007199254740993', at: '2026-11-30T01:02:03.004Z', real: 1.5 }],
      ['b', { big: 2, real: 'NaN' }],
    ],
  },
  'gzip with a member for each row, and zeros behind it (posthog 90036, MonetDB 7061, fflate 207)': {
    file: Buffer.concat([
      ...['{"name":"a","n":1}\n', '{"name":"b"}\n', '{"name":"c"}\n'].map((line) => gzipSync(line)),
      Buffer.alloc(20_000),
    ]),
    options: { fileName: 'a.jsonl.gz' },
    records: [
      ['a', { n: 1 }],
      ['b', {}],
      ['c', {}],
    ],
  },
  'a mark of UTF-8 before JSON Lines, and spaces around them (ragflow 19179, convex-backend 155)': {
    file: '\ufeff  {"name":"a","n":1}  \r\n\t{"name":"b"}\r\n',
    options: { fileName: 'a.jsonl' },
    records: [
      ['a', { n: 1 }],
      ['b', {}],
    ],
  },
  'spaces around the names of columns (netbox 11929, listmonk 2189, neo4j 6331)': {
    file: 'name , city\ta\u00a0, n\nx,Oslo,1\n',
    records: [['x', { 'city\ta': 'Oslo', n: 1 }]],
  },
  'a whole number of 64 bits after the rows that decide, and phone numbers (ClickHouse 120503, cartodb 1961)':
    {
      file: `name,n,phone\n${Array.from({ length: 1_000 }, (_, n) => `r${n},1,+34123456789`).join('\n')}\nlast,9223372036854775808,+34123456789\n`,
      records: [['last', { n: '9223372036854775808', phone: '+34123456789' }]],
    },
  'Parquet with decimals, local times, and times before 1970 (presto 8465, StarRocks 73674 and 75207, parquet-java 2236)':
    {
      file: Buffer.from(
        parquetWriteBuffer({
          columnData: [
            { name: 'name', data: ['a'] },
            { name: 'price', data: [0.3] },
            { name: 'local', data: [-500_000n] },
            { name: 'utc', data: [-1n] },
          ],
          schema: [
            { name: 'root', num_children: 4 },
            { name: 'name', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'REQUIRED' },
            {
              name: 'price',
              type: 'INT32',
              converted_type: 'DECIMAL',
              scale: 1,
              precision: 9,
              repetition_type: 'REQUIRED',
            },
            {
              name: 'local',
              type: 'INT64',
              logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: false, unit: 'MICROS' },
              repetition_type: 'REQUIRED',
            },
            {
              name: 'utc',
              type: 'INT64',
              logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'NANOS' },
              repetition_type: 'REQUIRED',
            },
          ],
        }),
      ),
      options: { fileName: 'a.parquet' },
      records: [
        ['a', { price: 0.3, local: '1969-12-31T23:59:59.500', utc: '1969-12-31T23:59:59.999999999Z' }],
      ],
    },
};
