import type { FieldValue } from './field-value.ts';

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
export function toNumber(value: unknown): number | undefined {
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
