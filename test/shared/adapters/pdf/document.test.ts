import { deflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { makePdf } from '../../../../shared/adapters/pdf/document.ts';
import { type PdfOptions, pdfPage } from '../../../../shared/adapters/pdf/page.ts';
import { readPdf } from '../../../support/files/pdf.ts';
import { loopback } from '../../../support/servers/loopback.ts';

const sourceOf = (text: string, { isMarkdown = false, ...page }: PdfOptions & { isMarkdown?: boolean }) => ({
  text,
  isMarkdown,
  title: 'Untitled',
  page: pdfPage(page),
  createdAt: Date.UTC(2026, 0, 2),
});
type Options = Parameters<typeof sourceOf>[1];

const render = (text: string, options: Options = {}) => makePdf(sourceOf(text, options));
const read = async (text: string, options?: Options) => readPdf(await render(text, options));
const textOf = async (text: string, options?: Options) => (await read(text, options)).text;

/** `paintImageXObject` of pdf.js. */
const paintsImage = 85;

test('HTML becomes pages with selectable text in reading order', async () => {
  const html = `
    <html><head><title>Annual report</title><style>p { color: red }</style></head><body>
      <h1>Annual   report</h1>
      <p>Sales <b>grew</b>, <i>costs</i> <u>did</u><br>not. See <a href="https://example.com/a?b=1">the page</a>.</p>
      <ul><li>one</li><li>two<ol start="7"><li>seven</li></ol></li></ul>
      <table><caption>Figures</caption>
        <thead><tr><th>Year</th><th>Sum</th></tr></thead>
        <tbody><tr><td>2025</td><td align="right">17</td></tr></tbody>
      </table>
      <pre>if (x) {
  y();
}</pre>
      <blockquote>said</blockquote><hr><dl><dt>term</dt><dd>meaning</dd></dl>
    </body></html>`;
  const { text, info, pages } = await read(html);
  expect(text).toBe(
    'Annual report Sales grew, costs did not. See the page. one two seven7. Figures ' +
      'Year Sum 2025 17 if (x) { y(); } said term meaning',
  );
  expect(info).toMatchObject({ Title: 'Annual report', CreationDate: expect.stringContaining('20260102') });
  expect(pages).toHaveLength(1);
  expect(new Set(pages[0]?.links)).toEqual(new Set(['https://example.com/a?b=1']));
});

test('lays out Markdown with lists, tables, code and tasks', async () => {
  const markdown = [
    '# Plan',
    '',
    'Some **bold**, `code` and ~~old~~ text.',
    '',
    '- [x] done',
    '- [ ] to do',
    '',
    '| A | B |',
    '|---|---|',
    '| 1 | <script>alert(1)</script>2 |',
    '',
    '```js',
    'a <b> c',
    '```',
  ].join('\n');
  expect(await textOf(markdown, { isMarkdown: true })).toBe(
    'Plan Some bold, code and old text. ☑ done ☐ to do A B 1 2 a <b> c',
  );
});

test('Latin, Greek and Cyrillic letters, arrows and symbols are kept', async () => {
  const signs = 'Ünïcödé ăâîșț łőğş Ελληνικά Кириллица їґ → ⇒ ✓ ✗ ★ € ₽ № ≤ ≠ ∞ ½ “„” – — … ─│┌';
  expect(await textOf(`<p>${signs}</p>`)).toBe(signs);
  expect(await textOf(`<pre>${signs}</pre>`)).toBe(signs);
});

test('text has the style of its elements and attributes', async () => {
  const { pages } = await read(
    '<h1>big</h1><p style="font-size: 20pt; text-align: right">right</p><p align="center">mid</p>' +
      '<p>low<sub>2</sub><span style="display:none">gone</span><small>small</small></p>',
  );
  const place = (text: string) => pages[0]?.places.find(({ str }) => str === text) ?? { x: 0, y: 0, size: 0 };
  expect(place('big').size).toBe(24);
  expect(place('right').size).toBe(20);
  expect(place('right').x).toBeGreaterThan(450);
  expect(place('mid').x).toBeGreaterThan(250);
  expect(place('small').size).toBeLessThan(place('low').size);
  expect(pages[0]?.text).not.toContain('gone');
});

test.each([
  [{}, 595, 842],
  [{ landscape: true }, 842, 595],
  [{ format: 'Letter' }, 612, 792],
  [{ format: 'Legal', landscape: true }, 1_008, 612],
  [{ format: 'A6' }, 298, 420],
] as const)('%j makes pages of %i × %i points', async (options, width, height) => {
  expect((await read('<p>x</p>', options)).pages[0]).toMatchObject({ width, height });
});

test.each([
  [{}, 56.7],
  [{ margin: '1in' }, 72],
  [{ margin: 100 }, 75],
  [{ margin: { left: '5cm' } }, 141.7],
  [{ margin: '0mm' }, 0],
])('with %j text begins %f points from the left', async (options, x) => {
  expect((await read('<p>x</p>', options)).pages[0]?.places[0]?.x).toBeCloseTo(x, 1);
});

test('overflow continues on the next page, with the table header repeated', async () => {
  const rows = Array.from({ length: 120 }, (_, n) => `<tr><td>row ${n}</td></tr>`).join('');
  const { pages, text } = await read(`<table><thead><tr><th>Head</th></tr></thead>${rows}</table>`);
  expect(pages.length).toBeGreaterThan(2);
  for (const page of pages) expect(page.text).toMatch(/^Head row/);
  expect(text).toContain('row 119');
});

test('a page ends where the document requests it', async () => {
  const { pages } = await read(
    '<p>one</p><p style="page-break-before: always">two</p><p style="break-after: page">still two</p><p>three</p>',
  );
  expect(pages.map(({ text }) => text)).toEqual(['one', 'two still two', 'three']);
});

test('spanning cells leave other cells in place, whatever the spans', async () => {
  const { pages } = await read(
    '<table><tr><td rowspan="2">a<td colspan="100%">b<tr><td>c<td>d<tr><td rowspan="99">e<td colspan="-1">f</table>',
  );
  const at = Object.fromEntries(pages[0]?.places.map(({ str, x, y }) => [str, { x, y }]) ?? []);
  expect(at.c?.x).toBeCloseTo(at.b?.x ?? 0);
  expect(at.d?.x).toBeGreaterThan(at.c?.x ?? 0);
  expect(at.e?.x).toBeCloseTo(at.a?.x ?? 0);
  expect(at.f?.x).toBeCloseTo(at.c?.x ?? 0);
});

const chunk = (type: string, data: Buffer) => {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(data.length);
  head.write(type, 4, 'latin1');
  // Readers of PDFs and pdfkit do not check the sum.
  return Buffer.concat([head, data, Buffer.alloc(4)]);
};
/** A PNG of one colour with transparency. */
function png(width: number, height: number, pixels = Buffer.alloc(height * (1 + width * 4), 200)) {
  const head = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 6, 0, 0, 0]);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  for (let row = 0; row < height; row++) pixels[row * (1 + width * 4)] = 0;
  const parts = [chunk('IHDR', head), chunk('IDAT', deflateSync(pixels)), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...parts]);
}
const imageOf = (bytes: Buffer, type = 'png') =>
  `<img alt="words" src="data:image/${type};base64,${bytes.toString('base64')}">`;

test('an embedded image is shown', async () => {
  const { pages } = await read(`<p>a picture: ${imageOf(png(40, 20))} there</p>`);
  expect(pages[0]?.operations).toContain(paintsImage);
  expect(pages[0]?.text).toBe('a picture: there');
});

test.each([
  ['is cut off', imageOf(png(40, 20).subarray(0, 60))],
  ['has another size than it says', imageOf(png(4, 4, Buffer.alloc(5_000_000)))],
  ['would fill the memory', imageOf(png(1, 1).fill(0x7f, 16, 24))],
  ['is no image', imageOf(Buffer.from('hello'))],
  ['is of another kind', imageOf(Buffer.from('<svg/>'), 'svg+xml')],
])('alternative text replaces an image that %s', async (_, image) => {
  const { pages, text } = await read(`<p>${image}</p>`);
  expect(text).toBe('words');
  expect(pages[0]?.operations).not.toContain(paintsImage);
});

test('fetches nothing and reads no file, whatever the document references', async () => {
  const seen: (string | undefined)[] = [];
  const { url } = await loopback((request, response) => {
    seen.push(request.url);
    response.end('x');
  });
  const sources = [`${url}/a.png`, 'file:///etc/hostname', '/etc/hostname', '../../package.json'];
  const html = sources.flatMap((source) => [
    `<img src="${source}" alt="[image]">`,
    `<p data-pdfmake="{'image':'${source}'}" style="background: url(${source})">kept</p>`,
    `<link rel="stylesheet" href="${source}"><script src="${source}"></script><iframe src="${source}"></iframe>`,
    `<object data="${source}"></object><embed src="${source}"><svg><image href="${source}"/></svg>`,
  ]);
  expect(await textOf(html.join(''))).toBe(sources.map(() => '[image] kept').join(' '));
  expect(await textOf(`![alt](${url}/b.png)`, { isMarkdown: true })).toBe('alt');
  expect(seen).toEqual([]);
});

test('a PDF contains no script and no link that would run one', async () => {
  const bytes = await render(
    '<script>alert(1)</script><a href="javascript:alert(1)">a</a> <a href="file:///etc/passwd">b</a> ' +
      '<a href=" JAVASCRIPT:alert(1)">c</a> <p onclick="alert(1)">d</p> <a href="mailto:me@example.com">e</a>',
  );
  const { pages, text } = await readPdf(bytes);
  expect(text).toBe('a b c d e');
  expect(pages[0]?.links).toEqual(['mailto:me@example.com']);
  expect(bytes.toString('latin1')).not.toMatch(/\/(?:JavaScript|JS|Launch|EmbeddedFile)\b/);
});

test.each([
  ['nothing', '', ''],
  ['an unclosed everything', '<p>a<b>b<table><tr><td>c<ul><li>d', 'ab c d'],
  ['broken markup', '<p <<b>>x</ p>&amp;&nope;&#0;', '>x&&nope;�'],
  ['styles that are none', '<p style="font-size:1e99px;color:nope;:;;a">x</p>', 'x'],
  ['lists nested 20 deep', `${'<ul><li>'.repeat(20)}x`, 'x'],
  ['a word of 50,000 letters', 'x'.repeat(50_000), expect.stringContaining('xxxx')],
])('%s is laid out', async (_, html, text) => {
  expect(await textOf(html)).toEqual(text);
});

test('the same document yields the same bytes', async () => {
  const html = '<h1>Title</h1><p>Text in <b>bold</b> and <code>code</code></p>';
  expect(Buffer.compare(await render(html), await render(html))).toBe(0);
});
