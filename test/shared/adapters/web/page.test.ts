import { expect, test } from 'vitest';
import { plainText, readPage } from '../../../../shared/adapters/web/page.ts';

const address = 'https://example.com/docs/start?x=1#top';

test('the title is that of the page, not of an embedded image', () => {
  const { title } = readPage(
    '<body><svg><title>Icon</title></svg><title>A &amp;\n  B</title><title>C</title>',
    address,
  );
  expect(title).toBe('A & B');
});

test('links are absolute, http only, unique, and include those of removed elements', () => {
  const { links } = readPage(
    `<nav><a href="/a">A</a></nav><a href="b#c">B</a><a href="/a">A again</a><a href="//cdn.example/x">X</a>
     <a href="#here">here</a><a href="javascript:x()">js</a><a href="mailto:a@b">mail</a><a href="http://[">bad</a><a>none</a>`,
    address,
  );
  expect(links).toEqual(['https://example.com/a', 'https://example.com/docs/b#c', 'https://cdn.example/x']);
});

test('links are relative to the first base of a page', () => {
  const { links } = readPage('<base href="/v2/"><base href="/v3/"><a href="x">x</a>', address);
  expect(links).toEqual(['https://example.com/v2/x']);
});

test('what only works in a browser becomes text or is removed', () => {
  const { markdown } = readPage(
    '<p>a <a href="javascript:x()">js</a> <a href="#b">b</a> <img alt="i" src="data:image/png;base64,AAAA">' +
      '<img alt="pic" src="../p.png"><button>OK</button><input value="v"></p><form><p>in a form</p></form>',
    address,
  );
  expect(markdown).toBe('a js b ![pic](https://example.com/p.png)\n\nin a form');
});

test.each<[string, string]>([
  ['nothing', ''],
  ['no tags at all', 'a < b & c'],
  ['half a million nested elements', '<div>'.repeat(500_000)],
  ['a million opening brackets', '<'.repeat(1_000_000)],
  ['an element with 100,000 attributes', `<a ${'b=1 '.repeat(100_000)}>`],
  ['a table of 50,000 open cells', `<table><tr>${'<td>a'.repeat(50_000)}`],
  ['200,000 brackets of markdown', '[]('.repeat(200_000)],
  ['a comment that never ends', `<!--${'<p>'.repeat(100_000)}`],
  ['misnested lists and tables', '<ul><table><li><tr></ul><td><form></table>'.repeat(10_000)],
  ['a base that grows', '<base href="x/">'.repeat(50_000)],
  [
    'names of Object.prototype',
    '<constructor><__proto__ toString=1 __proto__=2>x</__proto__><a constructor href=/>',
  ],
])('reads a page that has %s', (_name, html) => {
  expect(readPage(html, address)).toMatchObject({ markdown: expect.any(String), links: expect.any(Array) });
});

test('plain text has no tags and no entities', () => {
  expect(plainText('It&#x27;s <strong>1 &lt; 2</strong> &amp; more')).toBe("It's 1 < 2 & more");
});
