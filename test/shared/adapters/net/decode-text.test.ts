import { expect, test } from 'vitest';
import { decodeText, findEncodingProblem } from '../../../../shared/adapters/net/decode-text.ts';

const latin = (text: string) => Buffer.from(text, 'latin1');
const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');

test.each<[string, Uint8Array, string | undefined, string]>([
  ['UTF-8 where nothing is said', Buffer.from('é'), undefined, 'é'],
  ['the content type’s charset', latin('é'), 'text/plain; charset=ISO-8859-1', 'é'],
  ['a quoted charset', latin('é'), 'text/plain; Charset="latin1"', 'é'],
  ['what its bytes show if nothing is said', latin('Café'), 'text/plain', 'Café'],
  ['UTF-8 for a charset that does not exist', Buffer.from('é'), 'text/plain; charset=klingon', 'é'],
  ['the mark of UTF-8, which is left out', Buffer.from('\ufeffé'), 'text/plain', 'é'],
  ['the mark of UTF-16 before what the content type says', utf16('é'), 'text/plain; charset=utf-8', 'é'],
  ['the mark of UTF-16, big end first', utf16('é').swap16(), undefined, 'é'],
  ['what a page says', latin('<meta charset=latin1>é'), 'text/html', '<meta charset=latin1>é'],
  [
    'what a page says the long way',
    latin('<META http-equiv="Content-Type" content="text/html; charset=windows-1252">é'),
    'text/html',
    '<META http-equiv="Content-Type" content="text/html; charset=windows-1252">é',
  ],
  [
    'what an XML declaration says',
    latin('<?xml version="1.0" encoding="ISO-8859-1"?><a>é</a>'),
    'application/rss+xml',
    '<?xml version="1.0" encoding="ISO-8859-1"?><a>é</a>',
  ],
  [
    'the content type before what a page says',
    Buffer.from('<meta charset=latin1>é'),
    'text/html; charset=utf-8',
    '<meta charset=latin1>é',
  ],
  [
    'UTF-8 for a page that cannot be the UTF-16 that it says',
    Buffer.from('<meta charset="utf-16">é'),
    'text/html',
    '<meta charset="utf-16">é',
  ],
  [
    'UTF-8 for a text that only talks of charsets',
    Buffer.from('<meta charset=latin1>é'),
    'text/plain',
    '<meta charset=latin1>é',
  ],
])('decodes by %s', (_name, bytes, contentType, text) => {
  expect(decodeText(bytes, contentType).text).toBe(text);
});

test.each<[string, Uint8Array, string | undefined, string | undefined]>([
  ['nothing of a whole text', Buffer.from('é'), 'text/plain', undefined],
  ['nothing of what is no text', Buffer.from([0, 0xff, 0xfe]), undefined, undefined],
  [
    'bytes that are not in the encoding that was named',
    latin('é'),
    'text/plain; charset=utf-8',
    'contains bytes that are not utf-8, which were replaced by \uFFFD',
  ],
  ['a guess', latin('Café'), undefined, 'names no encoding and was read as windows-1252'],
])('reports %s', (_name, bytes, contentType, problem) => {
  expect(findEncodingProblem(decodeText(bytes, contentType))).toBe(problem);
});
