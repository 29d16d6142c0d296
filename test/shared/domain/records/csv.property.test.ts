import fc from 'fast-check';
import { expect, test } from 'vitest';
import { unescapeCell } from '../../../../shared/domain/records/csv/export-csv.ts';
import { numRuns } from '../../../support/suite/slow.ts';
import { parseCsv } from './parse-csv.ts';

const cell = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 8 }),
  fc.string({ unit: fc.constantFrom('"', ',', ';', '\t', '\r', '\n', '\r\n', ' ', 'a', 'é'), maxLength: 8 }),
);

/** A table, and a way to write it down. */
const written = fc.integer({ min: 1, max: 5 }).chain((width) =>
  fc.record({
    header: fc.constant(['name', ...Array.from({ length: width }, (_, n) => `column ${n}`)]),
    rows: fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 12 }),
    delimiter: fc.constantFrom(',', ';', '\t'),
    lineEnd: fc.constantFrom('\n', '\r\n', '\r'),
    blankLines: fc.array(fc.nat(2), { minLength: 14, maxLength: 14 }),
    quoted: fc.infiniteStream(fc.boolean()),
    mark: fc.constantFrom('', '\ufeff'),
    endsWithLine: fc.boolean(),
  }),
);

test('any table written as CSV is read back unchanged, each row with its line', async () => {
  await fc.assert(
    fc.asyncProperty(
      written,
      async ({ header, rows, delimiter, lineEnd, blankLines, quoted, mark, endsWithLine }) => {
        const named = rows.map((cells, index) => [`row ${index}`, ...cells]);
        const write = (text: string) =>
          quoted.next().value || /["\r\n,;\t]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
        let file = mark;
        const lines: number[] = [];
        for (const [index, cells] of [header, ...named].entries()) {
          file += lineEnd.repeat(blankLines[index] ?? 0);
          lines.push(file.split(/\r\n|\r|\n/).length);
          file += cells.map(write).join(delimiter);
          if (endsWithLine || index < named.length) file += lineEnd;
        }

        const { drafts, errors } = await parseCsv(file, { typeValue: 't' });

        expect(errors).toEqual([]);
        expect(drafts.map(({ line }) => line)).toEqual(lines.slice(1));
        expect(drafts.map(({ name, metadata }) => [name, Object.entries(metadata)])).toEqual(
          named.map(([name, ...cells]) => [
            name,
            cells
              .map(unescapeCell)
              .flatMap((text, index) => (text.trim() === '' ? [] : [[header[index + 1], text]])),
          ]),
        );
      },
    ),
    { numRuns: numRuns(1_000) },
  );
});

test('any bytes lead to a response', async () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.string({ unit: fc.constantFrom('name', '"', ',', ';', '\r', '\n', ' ', 'a', '\t'), maxLength: 60 }),
  );
  await fc.assert(
    fc.asyncProperty(bytes, async (file) => {
      try {
        await parseCsv(file, { typeValue: 't' });
      } catch (error) {
        expect(error).toMatchObject({ code: 'VALIDATION' });
      }
    }),
    { numRuns: numRuns(2_000) },
  );
});
