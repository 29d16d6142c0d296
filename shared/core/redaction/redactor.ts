/**
 * Replaces the values of secrets in texts, JSON and streams by the names of the secrets.
 * The forms of a value (encodings, escapes, parts) are found by one automaton (`form-finder.ts`), whatever their number.
 * Texts of others may hold ordinary values as words, which are redacted only where they stand alone.
 * Encodings that no form foresees are tried last: a text that reveals a value once it is decoded is redacted as a whole,
 * JSON member by member as far as possible. A stream holds back what may be the beginning of a value.
 */
import { parseExact } from '../json/exact-json.ts';
import { createFormFinder, type Finder, type Form, type FormHit } from './form-finder.ts';
import { isOrdinary, secretForms } from './secret-forms.ts';

/** Replaces secret values in the output of a run with the names of the secrets. */
export interface Redactor {
  text: (text: string) => string;
  /** Redacts any JSON value, including member names and numbers. @returns the value itself if it has none to redact. */
  json: <T>(value: T) => T;
  /** Redacts a streamed text. A value may span several pieces. Ordinary ones are left. */
  stream: () => { push: (piece: string) => string; end: () => string };
}

/**
 * @param values The secrets' keys and values, which may be blank.
 * @param ofOthers Whether the texts are another system's: ordinary values (`isOrdinary`) are redacted only where they stand
 *   alone, as a whole text or behind `=`, `:`, a quote or `Bearer`. Elsewhere they are words like any other.
 */
export function createRedactor(
  values: Iterable<readonly [key: string, value: string]>,
  { ofOthers = false }: { ofOthers?: boolean } = {},
): Redactor {
  const valueList = [...values];
  const alone = ofOthers ? valueList.filter(([, value]) => isOrdinary(value)) : [];
  const forms = valueList.flatMap(([key, value]) =>
    [...new Set([value, value.trim()].flatMap(secretForms))]
      .filter((form) => !ofOthers || !isOrdinary(value) || form.toLowerCase() !== value.toLowerCase())
      .map((form): Form => ({ text: form, mark: toMark(key) })),
  );
  const finder = createFormFinder(forms);
  const withoutAlone = createAloneReplacer(alone);
  function text(input: string): string {
    const left = withoutAlone(markHits(input, finder.find(input)));
    const marks = findUnknownForms(finder, left);
    return marks === undefined ? left : (cleanJson(left, text) ?? marks);
  }
  return {
    text,
    json: (value) => (valueList.length > 0 ? (redactValue(value, text) as typeof value) : value),
    stream: () => openRedactedStream(finder),
  };
}

const toMark = (key: string) => (key ? `[secret:${key}]` : '[secret]');

/** Replaces values that stand alone. Of each place where one is found, a fixed number of characters around it is read. */
function createAloneReplacer(values: readonly (readonly [string, string])[]): Redactor['text'] {
  if (values.length === 0) return (text) => text;
  const marks = new Map(values.map(([key, value]) => [value, toMark(key)]));
  const any = [...marks.keys()].map((value) => RegExp.escape(value)).join('|');
  const before = String.raw`(?<=["'=:/?&]\s?|\b(?:[Bb]earer|[Bb]asic|[Tt]oken)\s)`;
  const after = String.raw`(?=["',;&)\]}/?\r\n]|\s?$)`;
  const pattern = new RegExp(`${before}(?:${any})${after}`, 'g');
  return (text) => marks.get(text.trim()) ?? text.replace(pattern, (value) => marks.get(value) ?? value);
}

/** Replaces hits with marks. Marks are not scanned again. */
function markHits(text: string, hits: readonly FormHit[]): string {
  let out = '';
  let from = 0;
  for (const { start, end, marks } of hits) {
    out += text.slice(from, start) + marks.join('');
    from = end;
  }
  return from === 0 ? text : out + text.slice(from);
}

/** Limits decoding, whose time grows with the text: only short texts mix encodings. */
const decodedMax = 200_000;

/** Redacts a value that no form matches, for example a partly escaped one. */
function findUnknownForms({ find }: Finder, text: string): string | undefined {
  if (text.length > decodedMax) return undefined;
  const plain = decodeText(text);
  const hits = plain === text ? [] : find(plain);
  return hits.length === 0 ? undefined : [...new Set(hits.flatMap(({ marks }) => marks))].join('');
}

/** Redacts only the texts with the value; `undefined` if the text is not JSON and is redacted as a whole. */
function cleanJson(text: string, clean: Redactor['text']): string | undefined {
  try {
    const value = parseExact(text);
    return typeof value === 'object' ? JSON.stringify(redactValue(value, clean)) : undefined;
  } catch {
    return undefined;
  }
}

/** A JSON value with other texts, in names and numbers too. The value itself if none differs. */
export function redactValue(value: unknown, text: Redactor['text']): unknown {
  if (typeof value === 'string') return text(value);
  if (typeof value === 'number' || typeof value === 'bigint') {
    const digits = String(value);
    const clean = text(digits);
    return clean === digits ? value : clean;
  }
  if (Array.isArray(value)) {
    const items = value.map((item) => redactValue(item, text));
    return items.every((item, index) => Object.is(item, value[index])) ? value : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value);
  const clean = members.map(([name, item]) => [text(name), redactValue(item, text)] as const);
  const isSame = members.every(
    ([name, item], at) => name === clean[at]?.[0] && Object.is(item, clean[at]?.[1]),
  );
  return isSame ? value : Object.fromEntries(clean);
}

function openRedactedStream(finder: Finder): ReturnType<Redactor['stream']> {
  const scan = finder.scan();
  /** Begins at this position of the whole text. */
  let held = '';
  let from = 0;
  function take(hits: readonly FormHit[], upTo: number): string {
    const here = hits.map(({ start, end, marks }) => ({ start: start - from, end: end - from, marks }));
    const taken = markHits(held.slice(0, upTo - from), here);
    held = held.slice(upTo - from);
    from = upTo;
    return taken;
  }
  return {
    push(piece) {
      scan.push(piece);
      held += piece;
      const { hits, upTo } = scan.takeSettled();
      return take(hits, upTo);
    },
    end: () => take(scan.end(), from + held.length),
  };
}

const rounds = 3;
const escapes =
  /(?:%[0-9a-f]{2})+|\\u([0-9a-f]{4})|\\x([0-9a-f]{2})|&#x([0-9a-f]{1,6});|&#(\d{1,7});|&(amp|lt|gt|quot|apos);|\\([nrt"'\\/])|[\0\r]/gi;
const named: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const letters: Record<string, string> = { n: '\n', r: '', t: '\t' };

/** Decodes the escapes of URLs, JSON and HTML in a text, also nested ones. */
function decodeText(text: string): string {
  let left = text;
  for (let round = 0; round < rounds; round++) {
    const next = once(left);
    if (next === left) break;
    left = next;
  }
  return left;
}

const once = (text: string) =>
  text.replace(
    escapes,
    (
      all: string,
      unicode?: string,
      byte?: string,
      hexEntity?: string,
      entity?: string,
      name?: string,
      letter?: string,
    ) => {
      if (all.startsWith('%')) return Buffer.from(all.replaceAll('%', ''), 'hex').toString();
      const hex = unicode ?? byte ?? hexEntity;
      if (hex) return character(Number.parseInt(hex, 16));
      if (entity) return character(Number(entity));
      if (name) return named[name.toLowerCase()] ?? all;
      return letter ? (letters[letter] ?? letter) : '';
    },
  );

const character = (code: number) => (code <= 0x10ffff ? String.fromCodePoint(code) : '');
