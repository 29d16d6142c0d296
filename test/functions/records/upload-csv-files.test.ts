import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { expectStatus } from '../../support/flows/flows.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';

type Fields = Record<string, string>;
type Bytes = Uint8Array<ArrayBuffer>;

const upload = ({ call }: Tenant, bytes: Bytes, fields: Fields) => {
  const body = new FormData();
  body.append('file', new File([bytes], 'upload.csv', { type: 'text/csv' }));
  for (const [name, value] of Object.entries({ typeValue: 'thing', ...fields })) body.append(name, value);
  return call('POST', '/v1/records/upload-csv', { body });
};
const fixture = async (name: string) =>
  new Uint8Array(await readFile(new URL(`../../fixtures/csv/${name}`, import.meta.url)));

/** Each record by its name, oldest first. */
async function stored({ call }: Tenant): Promise<Record<string, unknown>> {
  const { data } = await expectStatus(200, call('GET', '/v1/records?limit=100'));
  const pairs = data.map(({ name, metadata }: { name: string; metadata: object }) => [name, metadata]);
  return Object.fromEntries(pairs.toReversed());
}

interface File {
  fields: Fields;
  records: Record<string, Record<string, string>>;
  errors: string[];
}
const blankName = (column: string) => `the name (column "${column}") is blank`;

const files: Record<string, File> = {
  'excel-semicolon.csv': {
    fields: { nameColumn: 'Artikelnr.' },
    records: {
      '00017': {
        Bezeichnung: 'Schraube M4 ½"',
        Preis: '1,25',
        PLZ: '01067',
        Notiz: 'erste Zeile\nzweite "Zeile" mit ; darin',
      },
      '00018': { Bezeichnung: 'Dübel Größe 8', Preis: '0,10', PLZ: '99084' },
      '00019': { Bezeichnung: 'Öse – verzinkt', Preis: '1.234,50', PLZ: '80331', Notiz: '=SUMME(A1:A2)' },
    },
    errors: [`Line 7: ${blankName('Artikelnr.')}`, 'Line 8: the same type and name as in line 4'],
  },
  'excel-unicode.txt': {
    fields: {},
    records: {
      Łukasz: { City: 'Kraków', Remark: 'two\nlines' },
      'say "hi"': { City: 'Tromsø', Remark: '😀 smile' },
      李雷: { City: '北京' },
    },
    errors: ['Line 5: expected 3 cells, as in the header, but found 2'],
  },
  'libreoffice-tab.csv': {
    fields: {},
    records: {
      'Anna\tTab': { address: 'Street 1\n12345 Town\n\nFloor 2', amount: '007' },
      Bert: { address: 'Street 2\r\nTown', amount: '1e5' },
      Carl: { amount: '-4' },
    },
    errors: [`Line 8: ${blankName('name')}`],
  },
  'pandas-utf16.csv': {
    fields: {},
    records: {
      Åse: { column_1: '0', score: '0.1' },
      Zoë: { column_1: '1', score: '1e-05', note: 'a "quoted" tab\there' },
      Naïve: { column_1: '2', note: 'True' },
    },
    errors: [`Line 5: ${blankName('name')}`],
  },
  'windows-1252.csv': {
    fields: {},
    records: {
      'Jürgen Groß': { Straße: 'Königsallee 7', Umsatz: '1.000 €' },
      'Café „Zur Post“': { Straße: 'Marktstraße 1', Umsatz: 'n/a' },
      Françoise: { Straße: 'Rue de l’Été', Umsatz: '5 %' },
    },
    errors: ['Line 5: expected 3 cells, as in the header, but found 2'],
  },
  'odd-headers-and-rows.csv': {
    fields: { nameColumn: 'Name' },
    records: {
      A: { tag: '1', tag_3: '2', column_4: '3', tag_2: '4', Tag: '5', tag_4: '6' },
      D: { tag_4: 'six\nand more' },
      E: { tag: ' padded ' },
    },
    errors: [
      'Line 5: expected 7 cells, as in the header, but found 2',
      'Line 7: expected 7 cells, as in the header, but found 8',
      `Line 9: ${blankName('Name')}`,
      'Line 14: the same type and name as in line 3',
    ],
  },
};

test.each(Object.entries(files))(
  '%s: valid rows are stored, invalid ones are reported by line number, and a second upload adds nothing',
  async (name, { fields, records, errors }) => {
    const tenant = await newTenant();
    const bytes = await fixture(name);
    const first = await expectStatus(201, upload(tenant, bytes, fields));
    expect(first.errorDetails).toEqual(errors);
    expect(first).toMatchObject({ created: Object.keys(records).length, errors: errors.length });
    expect(await stored(tenant)).toEqual(records);

    const second = await expectStatus(201, upload(tenant, bytes, fields));
    expect(second).toMatchObject({ success: false, created: 0, records: [] });
    const taken = second.errorDetails.filter((detail: string) => detail.includes('already exists'));
    expect(taken).toHaveLength(Object.keys(records).length);
    expect(await stored(tenant)).toEqual(records);
  },
);

test('the lines of an unclosed quote and of errors before it are reported', async () => {
  const tenant = await newTenant();
  const text = '\ufeffname;note\r\nA;"x\r\ny"\r\nB\r\nC;"never\r\nD;1\r\n';
  const { errorDetails } = await expectStatus(201, upload(tenant, new TextEncoder().encode(text), {}));
  expect(errorDetails).toEqual([
    'Line 4: expected 2 cells, as in the header, but found 1',
    'Line 5: a quote opens in this row and never closes; the rest of the file was not read',
  ]);
  expect(Object.keys(await stored(tenant))).toEqual(['A']);
});

const utf8 = (text: string) => new TextEncoder().encode(text);
const bytes = (...values: number[]) => Uint8Array.from(values);
const joined = (...parts: Uint8Array[]): Bytes => Uint8Array.from(parts.flatMap((part) => [...part]));
const utf16 = (text: string) => Uint8Array.from(Buffer.from(text, 'utf16le'));

test.each<[string, Bytes, Fields, string, string]>([
  ['an empty file', bytes(), {}, 'file', 'NO_ROWS'],
  ['nothing but a byte order mark', utf8('\ufeff'), {}, 'file', 'NO_ROWS'],
  ['blank lines', utf8('\r\n  \r\n \r\n'), {}, 'file', 'NO_ROWS'],
  ['a header with blank rows', utf8('name;a\r\n;\r\n'), {}, 'file', 'NO_ROWS'],
  ['nothing but a separator line', utf8('sep=;\r\n'), {}, 'file', 'NO_ROWS'],
  ['a ZIP, as spreadsheets are', joined(utf8('PK\x03\x04'), bytes(0x14, 0, 0, 0, 8)), {}, 'file', 'NOT_CSV'],
  ['UTF-16 without its mark', utf16('name\nA\n'), {}, 'file', 'NOT_CSV'],
  ['UTF-32', joined(bytes(0xff, 0xfe, 0, 0), bytes(0x6e, 0, 0, 0)), {}, 'file', 'NOT_CSV'],
  ['UTF-16 that is cut off', utf16('\ufeffname\nA\n').slice(0, -1), {}, 'file', 'UNKNOWN_ENCODING'],
  [
    'a mark of UTF-8 before Latin-1',
    joined(utf8('\ufeffname\nM'), bytes(0xfc), utf8('nchen\n')),
    {},
    'file',
    'UNKNOWN_ENCODING',
  ],
  [
    // 日本 in Shift-JIS, and ü in code page 437.
    'Shift-JIS and DOS code pages',
    joined(utf8('name\n'), bytes(0x93, 0xfa, 0x96, 0x7b, 0x81, 0x40), utf8('\n')),
    {},
    'file',
    'UNKNOWN_ENCODING',
  ],
  [
    'a name column that is not there',
    utf8('name\nA\n'),
    { nameColumn: 'nom' },
    'nameColumn',
    'MISSING_COLUMN',
  ],
  [
    'a type column that is not there',
    utf8('name\nA\n'),
    { typeColumn: 'kind', typeValue: '' },
    'typeColumn',
    'MISSING_COLUMN',
  ],
  ['no column called name', utf8('title\nA\n'), {}, 'nameColumn', 'MISSING_COLUMN'],
])('400 for %s, and nothing is created', async (_what, file, fields, path, code) => {
  const tenant = await newTenant();
  const { details } = await expectStatus(400, upload(tenant, file, fields));
  expect(details).toEqual([{ path, code, message: expect.any(String) }]);
  expect(await stored(tenant)).toEqual({});
});

test('an error names the line of bytes in an unknown encoding', async () => {
  const tenant = await newTenant();
  const file = joined(utf8('name\nA\nB'), bytes(0x81), utf8('\n'));
  const { details } = await expectStatus(400, upload(tenant, file, {}));
  expect(details[0].message).toContain('Line 3 contains invalid bytes');
});

const cutLetter = joined(
  utf8('name,city,note\nr1,Zürich,größer/süß\nr2,M'),
  bytes(0xc3),
  utf8(',日本\nÅse,x,'),
  bytes(0xe6, 0x97),
  utf8('\n'),
);

test('a letter that was cut costs its cell: the others are whole, and a warning names the line', async () => {
  const tenant = await newTenant();
  const file = joined(cutLetter, utf8('n'), bytes(0xc3), utf8(',a,b\n'));
  const { created, errorDetails, warnings } = await expectStatus(201, upload(tenant, file, {}));
  expect(created).toBe(3);
  expect(errorDetails).toEqual(['Line 5: the name or the type contains bytes that are not utf-8']);
  const replaced = 'bytes that are not utf-8 were replaced by \uFFFD in';
  expect(warnings).toEqual([
    { code: 'TEXT_ENCODING', message: `Line 3: ${replaced} "city"`, count: 1 },
    { code: 'TEXT_ENCODING', message: `Line 4: ${replaced} "note"`, count: 1 },
  ]);
  expect(await stored(tenant)).toEqual({
    r1: { city: 'Zürich', note: 'größer/süß' },
    r2: { city: 'M\uFFFD', note: '日本' },
    Åse: { city: 'x', note: '\uFFFD' },
  });
  const again = await expectStatus(201, upload(tenant, cutLetter, {}));
  expect([again.errors, again.warnings]).toEqual([3, undefined]);
});

test('a letter that was cut in the header costs the file', async () => {
  const tenant = await newTenant();
  const file = joined(utf8('name,größe,stra'), bytes(0xc3), utf8('\nA,日本,x\n'));
  const { details } = await expectStatus(400, upload(tenant, file, {}));
  expect(details).toEqual([
    { path: 'file', code: 'UNKNOWN_ENCODING', message: expect.stringContaining('column "stra\uFFFD"') },
  ]);
});

test('a file that was read as Windows-1252 says so, since others are possible', async () => {
  const { warnings } = await expectStatus(
    201,
    upload(await newTenant(), await fixture('windows-1252.csv'), {}),
  );
  expect(warnings).toEqual([
    { code: 'TEXT_ENCODING', message: expect.stringContaining('was read as windows-1252'), count: 1 },
  ]);
});

const moscow = joined(utf8('name\n'), bytes(0xcc, 0xee, 0xf1, 0xea, 0xe2, 0xe0), utf8('\n'));

test('an encoding that is not certain is a 400 that says what others read; named in the form or by the part, it is read', async () => {
  const tenant = await newTenant();
  const { details } = await expectStatus(400, upload(tenant, moscow, {}));
  expect(details[0].message).toContain('"Москва" in windows-1251');
  await expectStatus(201, upload(tenant, moscow, { encoding: 'cp1251' }));
  const body = new FormData();
  body.append('file', new File([moscow], 'a.csv', { type: 'text/csv; charset=windows-1251' }));
  body.append('typeValue', 'other');
  const ofPart = await expectStatus(201, tenant.call('POST', '/v1/records/upload-csv', { body }));
  expect(ofPart).toMatchObject({ created: 1, records: [{ name: 'Москва', type: 'other' }] });
  expect(ofPart.warnings).toBeUndefined();
  const unknown = await expectStatus(400, upload(tenant, moscow, { encoding: 'klingon' }));
  expect(unknown.details).toMatchObject([{ path: 'encoding', code: 'INVALID_VALUE' }]);
});

test('more than 10,000 rows are a 413 that names the limit, and nothing is created', async () => {
  const tenant = await newTenant();
  const more = await expectStatus(413, upload(tenant, utf8(`name\n${'x\n'.repeat(10_001)}`), {}));
  expect(more.details[0].message).toContain('10000 rows');
  expect(await stored(tenant)).toEqual({});
});

const fileOf = (bytes: number) => utf8(`name;text\nA;${'x'.repeat(bytes)}\n`);

test('a file of more than an event holds is a 413 that names the limit, and nothing is created', async () => {
  const tenant = await newTenant();
  const { details } = await expectStatus(413, upload(tenant, fileOf(4_500_000), {}));
  const message =
    'The body takes more than 6000000 bytes in Base64, which adds a third. Split it, or send the file to /v1/imports, which takes any size';
  expect(details).toEqual([{ code: 'TOO_LARGE', message }]);
  expect(await stored(tenant)).toEqual({});
});

test('a file of more than API Gateway takes is a 413 of its own, and nothing is created', async () => {
  const tenant = await newTenant();
  const text = await expectStatus(413, upload(tenant, fileOf(30_000_000), {}));
  expect(text).toBe('HTTP content length exceeded 10485760 bytes.');
  expect(await stored(tenant)).toEqual({});
});
