/**
 * How values of records and filters compare: which field is meant, when a value is set, and as what two values are
 * compared.
 * Records come from JSON and from CSV files, so a text may stand for a number, a boolean or a date; two values are
 * compared as the strictest type that fits both, else as texts by code points. Texts that look like codes (leading
 * zeros, exponents) stay texts. A record's own fields shadow metadata keys of the same name.
 * `FieldValue` converts a value once, however many records it is compared with. `matches.ts` evaluates filters with it,
 * `filter.ts` checks ranges; listings of fields and the console use the same rules.
 */
import Big from 'big.js';
import { trimTrailing } from '../text.ts';
import { isSet } from './field.ts';

/** Compares two values of records and filters; `undefined` if they are not comparable. */
export function compare(one: FieldValue, other: FieldValue): number | undefined {
  const [first, second] = [one.value, other.value];
  if (typeof first === 'number' || typeof second === 'number') return compareValues(one.number, other.number);
  if (typeof first === 'boolean' || typeof second === 'boolean')
    return compareValues(one.asBoolean, other.asBoolean);
  if (typeof first !== 'string' || typeof second !== 'string') return undefined;
  if (one.decimal && other.decimal)
    return compareValues(one.number, other.number) || one.decimal.cmp(other.decimal);
  // Compare code points, as UTF-8 bytes do. JavaScript compares UTF-16 units.
  return compareValues(one.instant, other.instant) ?? Buffer.compare(one.bytes, other.bytes);
}

function compareValues<T extends number | boolean>(
  one: T | undefined,
  other: T | undefined,
): number | undefined {
  if (one === undefined || other === undefined) return undefined;
  return one < other ? -1 : one > other ? 1 : 0;
}

/** Compared with text, a number with leading zeros, a plus or an exponent is a code, such as a postcode. */
const plainNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;
export const isPlainNumber = (text: string) => plainNumber.test(text);
const numericText = /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?\s*$/i;

/** Converts a value to a number. Text is converted too, because CSV files contain only text. */
function toNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && numericText.test(value) ? Number(value) : undefined;
}

export function toBoolean(value: unknown): boolean | undefined {
  const text = typeof value === 'string' ? value.trim().toLowerCase() : value;
  if (text === true || text === 'true') return true;
  return text === false || text === 'false' ? false : undefined;
}

const isoDate =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(\.\d+)?)?\s*(Z|[+-]\d\d(?::?\d\d)?)?)?$/i;

/** Parses an ISO 8601 date to Unix milliseconds, as UTC if it has no zone; `undefined` for other text. */
export function parseInstant(value: unknown): number | undefined {
  const parts = typeof value === 'string' ? isoDate.exec(value.trim()) : null;
  if (!parts) return undefined;
  const [year, month, day, hour, minute, second] = parts
    .slice(1, 7)
    .map((part) => Number(part ?? 0)) as Six<number>;
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  const [fraction, zone] = parts.slice(7);
  const seconds = (hour * 60 + minute - parseOffset(zone)) * 60 + second + Number(fraction ?? 0);
  return date.getTime() + seconds * 1000;
}
type Six<T> = [T, T, T, T, T, T];

/** Minutes east of Greenwich. */
function parseOffset(zone = 'Z'): number {
  if (zone.toUpperCase() === 'Z') return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3).replace(':', '') || 0);
  return zone.startsWith('-') ? -minutes : minutes;
}

/** A value of a record or a filter with its conversions, which are computed lazily and once. */
export class FieldValue {
  readonly value: unknown;
  readonly #known = new Map<string, unknown>();

  constructor(value: unknown) {
    this.value = typeof value === 'bigint' ? String(value) : value;
  }

  #once<T>(what: string, find: (value: unknown) => T): T {
    if (!this.#known.has(what)) this.#known.set(what, find(this.value));
    return this.#known.get(what) as T;
  }

  get isSet(): boolean {
    return this.#once('isSet', isSet);
  }

  get number(): number | undefined {
    return this.#once('number', toNumber);
  }

  get asBoolean(): boolean | undefined {
    return this.#once('asBoolean', toBoolean);
  }

  get instant(): number | undefined {
    return this.#once('instant', parseInstant);
  }

  /** For a text that is a plain number. */
  get decimal(): Big | undefined {
    return this.#once('decimal', (value) =>
      typeof value === 'string' && isPlainNumber(value) ? new Big(value) : undefined,
    );
  }

  get bytes(): Buffer {
    return this.#once('bytes', (value) => Buffer.from(String(value)));
  }

  /** Equal for texts that are equal as texts, plain numbers or instants. */
  get key(): string {
    return this.#once('key', (value) => {
      const text = String(value);
      if (isPlainNumber(text)) return `number ${stripTrailingZeros(text)}`;
      return this.instant === undefined ? `text ${text}` : `instant ${this.instant}`;
    });
  }

  get folded(): string {
    return this.#once('folded', foldCase);
  }

  /** The elements of a list, except nested lists and objects. */
  get foldedElements(): ReadonlySet<string> {
    return this.#once('foldedElements', (value) => {
      const scalars = (value as unknown[]).filter((each) => typeof each !== 'object');
      return new Set(scalars.map(foldCase));
    });
  }
}

/** Upper case unifies what lower case keeps distinct: ß and SS, the two forms of sigma. */
const foldCase = (value: unknown) => String(value).toUpperCase();

function stripTrailingZeros(number: string): string {
  const short = number.includes('.') ? trimTrailing(trimTrailing(number, '0'), '.') : number;
  return short === '-0' ? '0' : short;
}
