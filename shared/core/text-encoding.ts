/**
 * Decodes texts of others, whose encoding nobody may have named. A named one is used as it is: bytes that are nothing in it become
 * U+FFFD, and the rest of the text is whole. Without a name, UTF-8 with few wrong bytes is still UTF-8: texts that are cut by bytes end in
 * the middle of a letter. Windows-1252 has a letter or a sign for nearly all bytes, so it is taken only where its letters stand as they
 * do in words, and is said to be a guess: the other Latin code pages differ in a few letters. All else is unknown, since double-byte
 * encodings and alphabets of one byte overlap (D216).
 */
export interface DecodedText {
  text: string;
  encoding: string;
  /** Letters may be wrong: nobody named the encoding, and others are possible. */
  isGuess: boolean;
  /** Bytes that are no text in the encoding were replaced by U+FFFD. */
  isDamaged: boolean;
}

export const replacementCharacter = '\uFFFD';

/** What the first bytes say, which no other statement outdoes. */
export function detectMark([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0xef && second === 0xbb && third === 0xbf ? 'utf-8' : undefined;
}

/** What a media type names. */
export const parseCharset = (mediaType = ''): string | undefined =>
  /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(mediaType)?.[1];

/** For messages about names that are none. */
export const encodingExamples = 'utf-8, windows-1252, windows-1251, gbk, shift_jis, macintosh';

/** The name of an encoding as the Encoding Standard writes it; undefined if there is none with this label. */
export function resolveEncoding(label: string): string | undefined {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

/** @throws RangeError for an encoding that does not exist */
export function decodeAs(bytes: Uint8Array, encoding: string): DecodedText {
  const decoder = new TextDecoder(encoding);
  const text = decoder.decode(bytes);
  const isDamaged = text.includes(replacementCharacter);
  return { text, encoding: decoder.encoding, isGuess: false, isDamaged };
}

/** Undefined if the encoding cannot be told. */
export function decodeUnnamed(bytes: Uint8Array): DecodedText | undefined {
  const utf8 = decodeAs(bytes, 'utf-8');
  if (!utf8.isDamaged) return decodeJapanese(bytes, utf8.text) ?? utf8;
  const { wellFormed, malformed } = countLetters(utf8.text);
  if (wellFormed >= 2 * malformed) return utf8;
  const western = decodeAs(bytes, 'windows-1252').text;
  if (!isWestern(western)) return undefined;
  const text = western.replaceAll(/[\x80-\x9f]/g, replacementCharacter);
  return { text, encoding: 'windows-1252', isGuess: true, isDamaged: text.includes(replacementCharacter) };
}

/** ISO-2022-JP is made of ASCII and would pass as UTF-8, but its escape sequences are in no other text. */
function decodeJapanese(bytes: Uint8Array, text: string): DecodedText | undefined {
  if (!text.includes('\x1b$B') && !text.includes('\x1b$@')) return undefined;
  const japanese = decodeAs(bytes, 'iso-2022-jp');
  return japanese.isDamaged ? undefined : japanese;
}

export function countLetters(text: string): { wellFormed: number; malformed: number } {
  let [wellFormed, malformed] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0xfffd) malformed++;
    // The second half of a surrogate pair belongs to the first.
    else if (unit > 0x7f && (unit < 0xdc00 || unit > 0xdfff)) wellFormed++;
  }
  return { wellFormed, malformed };
}

/** ASCII letters and all beyond ASCII. */
const words = /[A-Za-z\x80-\uffff]+/g;
const beyondAscii = /[\x80-\uffff]/;

/** Enough to tell, also in a file of millions. */
const judgedWordsMax = 20_000;
/** What is longer is no word. */
const wordLengthMax = 100;

function isWestern(text: string): boolean {
  const counts = { western: 0, either: 0, strange: 0 };
  let judged = 0;
  for (const [word] of text.matchAll(words)) {
    if (!beyondAscii.test(word)) continue;
    counts[looksOf(word)]++;
    if (++judged === judgedWordsMax) break;
  }
  return counts.western > 0 && counts.strange * 10 <= counts.western + counts.strange;
}

type Looks = 'western' | 'either' | 'strange';

const edges = /^[¿¡«„‚“‘‹’”»]+|[»”’“‘›®©™°•]{1,3}$/g;
const aloneSigns =
  /^(?:[°º][CF]?|[a-zA-Z]{1,2}[ºª°]|[ckdm]?m[²³]|µ[a-zA-Z]{0,2}|[€£¥¢§©®±×÷·•½¼¾²³¹–—…«»“”‘’„‚¿¡\xa0]+)$/;
/** The words of one letter of Western languages. */
const aloneLetters = /^[àáâãäåæèéêìíîòóôõöøùúûüÀÁÄÅÆÈÉÓÖØÜ]$/;
const english = /^\p{L}+’(?:s|t|re|ll|ve|d|m)$/u;
const elided = /^(?:[cdjlmnstCDJLMNSTO]|qu|Qu)’\p{L}+$/u;

/** Of a word as Windows-1252 reads it. "Either" reads well in another code page as often. */
function looksOf(word: string): Looks {
  if (word.length > wordLengthMax) return 'strange';
  if (/^([–—…•·])\1*$/.test(word)) return 'western';
  if (aloneSigns.test(word)) return /[±×÷½¼¾²³¹]{2}|[\x80-\uffff]{3}/.test(word) ? 'strange' : 'western';
  // French has signs beside its letters; else one of three in a row is in ASCII, unless letters have two bytes.
  if (/[\x80-\uffff]{3}/.test(word.replaceAll(/[\xa0«»]/g, ''))) return 'strange';
  const pieces = word.split(/[\xa0–—…·]+/);
  const looks = pieces.map(looksOfPiece);
  if (looks.includes('strange')) return 'strange';
  return looks.includes('western') ? 'western' : 'either';
}

/** What stands between dashes. Quotes and marks at its edges speak for Windows-1252, which has them where others have letters. */
function looksOfPiece(piece: string): Looks {
  const core = piece.replaceAll(edges, '');
  if (english.test(core) || elided.test(core)) return 'western';
  const looks = core.split(/(?<=\p{L})’(?=\p{L})/u).map(looksOfLetters);
  if (looks.includes('strange')) return 'strange';
  return looks.includes('western') || (core !== piece && looks.length === 1) ? 'western' : 'either';
}

function looksOfLetters(letters: string): Looks {
  if (/^[A-Za-z]*$/.test(letters)) return 'either';
  if (!/^\p{L}+$/u.test(letters)) return 'strange';
  if (letters.length === 1) return aloneLetters.test(letters) ? 'western' : 'strange';
  return unlikely.test(letters) || !/[A-Za-z]/.test(letters)
    ? 'strange'
    : /[À-ÿ]/.test(letters)
      ? 'western'
      : 'either';
}

/** Capitals inside of words, and a ñ before another letter than a vowel, where Central Europe has a ń. */
const unlikely = /\p{L}[À-ÞŠŒŽŸ](?!ß)\p{Ll}|\p{Ll}[À-ÞŠŒŽŸ]|[à-ÿšœž]\p{Lu}|ñ(?![aeiouáéíóúü])/u;

const others = ['gbk', 'big5', 'shift_jis', 'euc-kr', 'windows-1251', 'windows-1250', 'macintosh'];

/** Where bytes are that are neither UTF-8 nor Windows-1252, and the words that other encodings make of them. */
export function otherReadings(bytes: Uint8Array): { line: number; readings: string[] } {
  const utf8 = decodeAs(bytes, 'utf-8').text;
  const western = decodeAs(bytes, 'windows-1252').text;
  const line = countLines(utf8.slice(0, utf8.indexOf(replacementCharacter))) + 1;
  // Windows-1252 makes one character of each byte.
  for (const { 0: word, index } of western.matchAll(words)) {
    if (!beyondAscii.test(word) || looksOf(word) === 'western') continue;
    // The second byte of a letter may be an ASCII sign, but none that ends a cell.
    const length = western.slice(index, index + wordLengthMax).search(/[\s,;"]|$/);
    const cut = bytes.subarray(index, index + length);
    const readings = others.flatMap((encoding) => {
      const { text, isDamaged } = decodeAs(cut, encoding);
      return isDamaged || !/^\p{L}+$/u.test(text) ? [] : [`"${text.slice(0, 20)}" in ${encoding}`];
    });
    return { line, readings };
  }
  return { line, readings: [] };
}

const countLines = (text: string) => text.match(/\r\n|\r|\n/g)?.length ?? 0;
