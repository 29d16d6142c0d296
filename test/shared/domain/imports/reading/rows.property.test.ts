import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ImportSettings } from '../../../../../shared/domain/imports/import.ts';
import { lookAt, readRows, type SourceFile } from '../../../../../shared/domain/imports/reading/open-file.ts';

const settings = (fileName: string): ImportSettings => ({
  source: { upload: { fileName } },
  type: 'place',
  mode: 'create',
  columns: {},
  emptyAs: 'missing',
  onError: 'skip',
});

/** A file whose pieces have these sizes, again and again. */
function toFile(bytes: Buffer, sizes: readonly number[]): SourceFile {
  return {
    bytes: bytes.length,
    readSlice: async (from, to) => bytes.subarray(from, to),
    async *stream(from) {
      for (let at = from, n = 0; at < bytes.length; n++) {
        const end = at + (sizes[n % sizes.length] ?? 1);
        yield bytes.subarray(at, end);
        at = end;
      }
    },
  };
}

async function readFrom(file: SourceFile, form: Awaited<ReturnType<typeof lookAt>>, position: number) {
  const rows: { line: string; end: number }[] = [];
  for await (const { lines, ends } of readRows(file, form, position))
    rows.push(...lines.map((line, index) => ({ line, end: ends[index] as number })));
  return rows;
}

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }).map((some) => some.replaceAll('\0', '')),
  fc.constantFrom('', '"', 'a\nb', 'x\r\ny', ',', ';', "'=1", 'é', '😀'),
);
const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });

test('CSV is read alike however its bytes come, and from the end of any row on', async () => {
  const rows = fc.array(
    fc.tuple(
      fc.string({ minLength: 1, maxLength: 5 }).map((s) => `n${s.replaceAll('\0', '')}`),
      text,
      text,
    ),
    { minLength: 1, maxLength: 12 },
  );
  await fc.assert(
    fc.asyncProperty(rows, sizes, async (cells, pieces) => {
      const bytes = Buffer.from(stringify([['name', 'one', 'two'], ...cells], { quoted_match: /[\r\n]/ }));
      const file = toFile(bytes, pieces);
      const form = await lookAt(file, settings('a.csv'));
      fc.pre(form.delimiter === ',');
      const read = await readFrom(file, form, 0);
      expect(read.map(({ line }) => JSON.parse(line))).toEqual(cells);
      for (const [index, { end }] of read.entries())
        expect(await readFrom(file, form, end)).toEqual(read.slice(index + 1));
    }),
    { numRuns: 60 },
  );
});

test('JSON Lines are read alike however their bytes come, and from the end of any line on', async () => {
  const rows = fc.array(fc.record({ name: text, value: fc.jsonValue() }), { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(rows, sizes, fc.constantFrom('\n', '\r\n', '\n\n'), async (values, pieces, newline) => {
      const bytes = Buffer.from(values.map((value) => JSON.stringify(value)).join(newline));
      const file = toFile(bytes, pieces);
      const form = await lookAt(file, settings('a.jsonl'));
      const read = await readFrom(file, form, 0);
      expect(read.map(({ line }) => line)).toEqual(values.map((value) => JSON.stringify(value)));
      for (const [index, { end }] of read.entries())
        expect(await readFrom(file, form, end)).toEqual(read.slice(index + 1));
    }),
    { numRuns: 60 },
  );
});
