/**
 * Reads and writes JSON of others without loss of digits.
 * `JSON.parse` rounds whole numbers beyond 2^53, which are ids of many systems, and decimals with more digits than a
 * double has. Here the first are bigints, and the others texts of their digits; `JSON.stringify` writes a bigint as the
 * number that it is.
 * A text is scanned first: without such numbers it goes through `JSON.parse` unchanged. Otherwise the numbers are quoted
 * with a random mark, parsed, and restored.
 * Parsers and validators of others, and scripts, cannot take a bigint: they get an object with one member, the mark, and
 * give it back so (`markNumbers`, `unmarkNumbers`).
 */
import { randomBytes } from 'node:crypto';
import { endOfString } from './value-count.ts';

/** Longer whole numbers are texts: DynamoDB's longest number. */
const wholeDigitsMax = 38;

/** Of `toPrecision`. */
const precisionMax = 100;

const inexact = /[\d.]{16}|[\d.][eE][+-]?\d{3}/;

/** Whether a text has 16 digits in a row, or an exponent of three: no other number is changed by a double. */
export const mayBeInexact = (json: string): boolean => inexact.test(json);

/** @throws SyntaxError */
export function parseExact(text: string): unknown {
  if (!mayBeInexact(text)) return JSON.parse(text);
  const { json, hasWhole } = quoteNumbers(text);
  if (json === text) return JSON.parse(text);
  const value = tryParse(json);
  // The error names a position in the text that was given.
  if (value === undefined) return JSON.parse(text);
  return hasWhole ? restoreWholeNumbers(value) : value;
}

/** In front of the digits of a whole number while its text is parsed. Nobody else knows it. */
const wholeMark = randomBytes(9).toString('base64url');

/** The JSON with texts in place of the numbers that no double holds. A reviver of `JSON.parse` would take four times as long (D116). */
function quoteNumbers(text: string): { json: string; hasWhole: boolean } {
  let hasWhole = false;
  const pieces: string[] = [];
  let kept = 0;
  let at = 0;
  while (at < text.length) {
    const quote = text.indexOf('"', at);
    const end = quote === -1 ? text.length : quote;
    if (end - at >= shortestNumber) {
      const between = text.slice(at, end);
      const changed = between.replace(longNumbers, (source, position: number) => {
        const digits = toDigits(source);
        if (digits === undefined || isName(between, position + source.length)) return source;
        hasWhole ||= digits.startsWith(wholeMark);
        return `"${digits}"`;
      });
      if (changed !== between) {
        pieces.push(text.slice(kept, at), changed);
        kept = end;
      }
    }
    at = quote === -1 ? end : endOfString(text, quote) + 1;
  }
  return { json: pieces.length === 0 ? text : pieces.join('') + text.slice(kept), hasWhole };
}

/** Such as 1e999. */
const shortestNumber = 5;
const longNumbers = /-?\d[\d.]{15,}(?:[eE][-+]?\d+)?|-?\d[\d.]{0,14}[eE][-+]?\d{3,}/g;
const commonFraction = /^0\.0{0,5}([1-9]\d{13,15}[1-9])$/;
const longWhole = /^-?[1-9]\d{15,20}$/;
const numberOfJson = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** What stands for a number that a double does not hold; `undefined` for others, and for what is no number. */
function toDigits(source: string): string | undefined {
  const value = Number(source);
  // Without looking at digits, which takes long.
  const fraction = commonFraction.exec(source)?.[1];
  if (fraction !== undefined) return value.toPrecision(fraction.length) === source ? undefined : source;
  if (String(value) === source) return undefined;
  if (longWhole.test(source)) return wholeMark + source;
  if (!numberOfJson.test(source) || isExact(source, value)) return undefined;
  const { sign, digits, exponent } = parseDecimal(source);
  const isWhole = exponent >= 0 && digits.length + exponent <= wholeDigitsMax;
  return isWhole ? `${wholeMark}${sign}${digits}${'0'.repeat(exponent)}` : source;
}

/** A number in the place of a name is an error, which a text would hide. */
const isName = (json: string, end: number) =>
  end < json.length && !separators.has(json[end] ?? '') && /^\s*:/.test(json.slice(end));

const separators = new Set([',', ']', '}']);

function tryParse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** Changes a value that was parsed. */
function restoreWholeNumbers(value: unknown): unknown {
  const root = { value };
  const open: object[] = [root];
  const exact = (member: unknown) => {
    if (typeof member === 'object' && member !== null) open.push(member);
    return typeof member === 'string' && member.startsWith(wholeMark)
      ? BigInt(member.slice(wholeMark.length))
      : member;
  };
  for (let holder = open.pop(); holder; holder = open.pop()) {
    if (Array.isArray(holder)) for (let at = 0; at < holder.length; at++) holder[at] = exact(holder[at]);
    else
      for (const name in holder) {
        const member = (holder as Record<string, unknown>)[name];
        const changed = exact(member);
        // An assignment to `__proto__` would be lost.
        if (changed !== member) Object.defineProperty(holder, name, { value: changed });
      }
  }
  return root.value;
}

/** Whether a double would stand for another whole number, or for none. */
export const roundsWhole = (source: string, value: number): boolean =>
  !Number.isFinite(value) ||
  (Number.isInteger(value) && !isExact(source, value, false) && parseDecimal(source).exponent >= 0);

/**
 * Whether the double has these digits: a whole number when it is written, a decimal with as many digits as are given.
 * @param isDecimal Programs write decimals that are whole with an exponent or a point.
 */
function isExact(source: string, value: number, isDecimal = /[.e]/i.test(source)): boolean {
  if (!Number.isFinite(value)) return false;
  if ((Number.isSafeInteger(value) && /^-?\d+$/.test(source)) || String(value) === source) return true;
  const sent = parseDecimal(source);
  const isWhole = sent.exponent >= 0 && !isDecimal;
  const written =
    isWhole || sent.digits.length > precisionMax ? String(value) : value.toPrecision(sent.digits.length || 1);
  const read = parseDecimal(written);
  return sent.digits === read.digits && sent.exponent === read.exponent;
}

/** The significant digits and the power of ten of a decimal: `1200` and `1.2e3` are both 12 and 2. */
function parseDecimal(text: string) {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e(.+))?$/i.exec(text) ?? [];
  const all = (whole + fraction).replace(/^0+/, '');
  // A regular expression takes quadratic time for it.
  let end = all.length;
  while (all[end - 1] === '0') end--;
  const digits = all.slice(0, end);
  return {
    sign,
    digits,
    exponent: digits === '' ? 0 : Number(exponent) - fraction.length + all.length - digits.length,
  };
}

type RawJson = { rawJSON: (text: string) => object };

const rawNumber = (whole: bigint) => (JSON as unknown as RawJson).rawJSON(String(whole));

Object.defineProperty(BigInt.prototype, 'toJSON', {
  configurable: true,
  writable: true,
  value(this: bigint) {
    return rawNumber(this);
  },
});

/** The one member of the object that stands for a bigint. */
export const bigintMark = '__exact_digits__';

const isDigits = /^-?\d{1,38}$/;

/** The same value if it has no bigints. */
export const markNumbers = (value: unknown): unknown =>
  mapValue(value, (member) => (typeof member === 'bigint' ? { [bigintMark]: String(member) } : member));

export const unmarkNumbers = (value: unknown): unknown =>
  mapValue(value, (member) => {
    if (typeof member !== 'object' || member === null || !Object.hasOwn(member, bigintMark)) return member;
    const [digits, another] = Object.values(member);
    return typeof digits === 'string' && isDigits.test(digits) && another === undefined
      ? toWhole(digits)
      : member;
  });

/** A bigint only where a double does not do. */
const toWhole = (digits: string) => (isExact(digits, Number(digits)) ? Number(digits) : BigInt(digits));

/**
 * JSON of our own responses, in which numbers that no double holds are texts: most clients would round them, and requests
 * have them as texts too.
 */
export function clientJson(value: unknown): string {
  const json = JSON.stringify(value);
  return json !== undefined && mayBeInexact(json) ? JSON.stringify(toTextNumbers(value)) : json;
}

export const toTextNumbers = (value: unknown): unknown =>
  mapValue(value, (member) => (typeof member === 'bigint' ? String(member) : member));

/** For libraries that look for bigints and round them, and that only write what they get. The same value if it has none. */
export const toRawNumbers = (value: unknown): unknown =>
  mapValue(value, (member) => (typeof member === 'bigint' ? rawNumber(member) : member));

/** For what only compares: the nearest doubles stand for bigints. The same value if it has none. */
export const toDoubles = (value: unknown): unknown =>
  mapValue(value, (member) => (typeof member === 'bigint' ? Number(member) : member));

/** The same for texts of digits that no double has: they may have been numbers. */
export const toLongDecimals = (value: unknown): unknown =>
  mapValue(value, (member) =>
    typeof member === 'string' && isLongDecimal(member) ? Number(member) : member,
  );

const isLongDecimal = (text: string) =>
  mayBeInexact(text) && /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) && !isExact(text, Number(text));

/** For parsers of others: only members with these names, at any depth, are exact, and their bigints marked. @throws SyntaxError */
export function parseExactIn(text: string, names: ReadonlySet<string>): unknown {
  const rounded: unknown = JSON.parse(text);
  return mayBeInexactIn(text, names) ? restoreExact(rounded, parseExact(text), names) : rounded;
}

/** Such a text may change by that. */
export const mayBeInexactIn = (text: string, names: ReadonlySet<string>): boolean =>
  mayBeInexact(text) && names.values().some((name) => text.includes(`"${name}"`));

function restoreExact(rounded: unknown, exact: unknown, names: ReadonlySet<string>): unknown {
  if (typeof rounded !== 'object' || rounded === null) return rounded;
  const members = exact as Record<string, unknown>;
  for (const [name, member] of Object.entries(rounded)) {
    const isExactPart = names.has(name) && typeof member === 'object';
    const mended = isExactPart ? markNumbers(members[name]) : restoreExact(member, members[name], names);
    if (mended !== member) (rounded as Record<string, unknown>)[name] = mended;
  }
  return rounded;
}

/** The same for a value that is exact everywhere: its members with these names have marks in place of bigints. */
export function markMembers(value: unknown, names: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((each) => markMembers(each, names));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => {
    const isExactPart = names.has(name) && typeof member === 'object';
    return [name, isExactPart ? markNumbers(member) : markMembers(member, names)];
  });
  return Object.fromEntries(members);
}

/** With each list, object and scalar in it changed, from the outside; the same if nothing changes. */
function mapValue(value: unknown, change: (member: unknown) => unknown): unknown {
  const changed = change(value);
  if (changed !== value || typeof value !== 'object' || value === null) return changed;
  if (Array.isArray(value)) {
    const list = value.map((each) => mapValue(each, change));
    return list.some((each, index) => each !== value[index]) ? list : value;
  }
  const members = Object.entries(value).map(([name, member]) => [name, mapValue(member, change)] as const);
  const isSame = members.every(([name, member]) => member === (value as Record<string, unknown>)[name]);
  return isSame ? value : Object.fromEntries(members);
}
