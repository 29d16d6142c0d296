import { expect, test } from 'vitest';
import { readCsvPreview } from '../../../../../console/src/screens/records/upload/csv-preview.ts';

const preview = (text: string) => readCsvPreview(new Blob([text]));

test('a preview has the first five rows, also if they are longer than its first look', async () => {
  const long = `"${'é\n'.repeat(30_000)}"`;
  const file = ['name;text', ...Array.from({ length: 9 }, (_, n) => `n${n};${long}`)].join('\n');
  const { header, rows, note } = await preview(file);
  expect(header).toEqual(['name', 'text']);
  expect(rows.map(([name, text]) => [name, text?.length])).toEqual(
    [0, 1, 2, 3, 4].map((n) => [`n${n}`, 60_000]),
  );
  expect(note).toBeUndefined();
});

test('a preview shows a short file to its end, without blank rows and the line that declares the delimiter', async () => {
  expect(await preview('\ufeffsep=;\r\n name ;b\r\n;\r\n1,5;2')).toEqual({
    header: ['name', 'b'],
    rows: [['1,5', '2']],
  });
});

test('a preview names the row that is too long, and shows those above it', async () => {
  const tooLong = 'x'.repeat(1_200_000);
  expect(await preview(`name,text\na,b\nc,${tooLong}\nd,e`)).toEqual({
    header: ['name', 'text'],
    rows: [['a', 'b']],
    note: expect.stringMatching('Row 3 is too long to show'),
  });
  await expect(preview(`name,"${tooLong}"\na,b`)).rejects.toThrow('Row 1 is too long to show');
});

test('a preview names the row whose quote never closes', async () => {
  expect(await preview('name,text\na,b\nc,"d\ne,f\n')).toMatchObject({
    rows: [['a', 'b']],
    note: expect.stringMatching('Row 3 opens a quote that never closes'),
  });
  await expect(preview('')).rejects.toThrow('The file is empty');
});
