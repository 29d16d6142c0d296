/**
 * The filters of LiquidJS, mended where they lose a value without a word.
 * Lists and objects become JSON wherever a text is made of them, as in `{{ list }}`. Sums are exact decimals: a word, a list,
 * an argument without a value and a division by zero are errors, and so is an argument that a filter does not take. A value
 * at the left that is missing counts as 0, as in Liquid: counters begin so.
 * `liquid.ts` registers them, and asks for the number of arguments when it checks a template.
 */
import Big from 'big.js';
import { Drop } from 'liquidjs';

interface Rendering {
  context: {
    memoryLimit: { use(count: number): void };
    _getFromScope(scope: unknown, path: string, isStrict: boolean): unknown;
  };
}
type Filter = (this: Rendering, value: unknown, ...args: unknown[]) => unknown;

/** LiquidJS puts values such as `forloop` into objects of its own. */
const unwrapDrop = (value: unknown): unknown => (value instanceof Drop ? value.valueOf() : value);

/** Lists and objects as JSON; other values as they are. */
export function toPlain(value: unknown): unknown {
  const plain = unwrapDrop(value);
  return typeof plain === 'object' && plain !== null ? JSON.stringify(plain) : plain;
}

const words = (text: string) => new Set(text.split(' '));
/** These make a text of their value and of each argument. */
const ofTexts = words(
  'append prepend lstrip rstrip strip downcase upcase capitalize remove remove_first remove_last replace replace_first replace_last split strip_newlines squish truncate truncatewords normalize_whitespace number_of_words escape xml_escape escape_once newline_to_br strip_html url_decode url_encode cgi_escape uri_escape slugify base64_encode base64_decode sha256 hmac_sha256',
);
/** These make a text of each element. */
const ofElements = words('join array_to_sentence_string');
/** These take a list, or a text. */
const ofListOrText = words('slice sample');

/** These read their value as a time. */
const ofDates = words('date date_to_string date_to_long_string date_to_xmlschema date_to_rfc822');

/** How many arguments a filter takes. All others: one. */
const withoutArguments = words(
  'downcase upcase capitalize strip_newlines squish normalize_whitespace escape xml_escape escape_once newline_to_br strip_html url_decode url_encode cgi_escape uri_escape base64_encode base64_decode sha256 abs ceil floor first last reverse size pop shift date_to_xmlschema date_to_rfc822 raw to_integer json_text',
);
const withTwoArguments = words(
  'replace replace_first replace_last truncate truncatewords slugify slice where reject where_exp reject_exp group_by_exp has has_exp find_index find_index_exp find find_exp date date_to_string date_to_long_string default divided_by',
);

/** @param liquidFilters Those of LiquidJS, by name: a function, or an object with a function. */
export const mendFilters = (liquidFilters: Record<string, unknown>): Record<string, Filter> =>
  Object.fromEntries(
    Object.entries({ ...liquidFilters, ...ours }).map(([name, filter]) => [
      name,
      mendFilter(
        name,
        (typeof filter === 'function' ? filter : (filter as { handler: unknown }).handler) as Filter,
      ),
    ]),
  );

/** What is wrong with the number of arguments, which LiquidJS ignores. */
export function argumentsProblem(name: string, count: number): string | undefined {
  const argumentsMax = withoutArguments.has(name) ? 0 : withTwoArguments.has(name) ? 2 : 1;
  if (count <= argumentsMax) return undefined;
  const taken = ['no argument', 'one argument', 'two arguments'][argumentsMax];
  return `The filter ${name} takes ${taken}, and has ${count}`;
}

function mendFilter(name: string, filter: Filter): Filter {
  return function (value, ...args) {
    const problem = argumentsProblem(name, args.length);
    if (problem) throw new RangeError(problem);
    if (ofTexts.has(name)) return filter.call(this, toPlain(value), ...args.map(toPlain));
    const plain = unwrapDrop(value);
    if (ofDates.has(name)) return filter.call(this, readableDate(plain), ...args.map(unwrapDrop));
    if (ofElements.has(name) && Array.isArray(plain)) return filter.call(this, plain.map(toPlain), ...args);
    const isText = ofElements.has(name) || ofListOrText.has(name);
    return filter.call(
      this,
      isText && !Array.isArray(plain) ? toPlain(plain) : plain,
      ...args.map(unwrapDrop),
    );
  };
}

const Decimal = Big();
/** Decimal places of a quotient, before it is rounded to the digits of a double. */
Decimal.DP = 30;
const quotientDigits = 16;
const digitsMax = 1_000;

const zero = new Decimal(0);
const decimal = /^-?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?$/i;
const isMissing = (value: unknown) =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '');

const numeric = new Set<string>(['number', 'bigint', 'string']);

function parseNumber(filter: string, value: unknown): Big {
  const text = numeric.has(typeof value) ? String(value).trim() : '';
  if (decimal.test(text)) return new Decimal(text);
  throw new RangeError(`The filter ${filter} needs numbers such as 12.5, not ${describeValue(value)}`);
}

const shownMax = 60;
/** Whole or not at all: a part of a secret would not be masked. */
function describeValue(value: unknown): string {
  if (isMissing(value)) return 'a value that is missing';
  if (typeof value === 'object') return Array.isArray(value) ? 'a list' : 'an object';
  const text = String(value);
  return text.length <= shownMax ? `"${text}"` : `a text of ${text.length} characters`;
}

/** A number if it is exactly this one, a bigint for another whole number, else its digits. */
function result(value: Big): number | bigint | string {
  if (Math.abs(value.e) > digitsMax || value.c.length > digitsMax) {
    throw new RangeError(`A sum has more than ${digitsMax} digits`);
  }
  const number = value.toNumber();
  const digits = value.toFixed();
  if (value.eq(0) || String(number) === digits) return number + 0;
  return /^-?\d{16,38}$/.test(digits) ? BigInt(digits) : digits;
}

const defineUnary = (name: string, compute: (value: Big) => Big): [string, Filter] => [
  name,
  (value) => result(compute(isMissing(value) ? zero : parseNumber(name, value))),
];
const defineBinary = (
  name: string,
  compute: (value: Big, other: Big, more: unknown) => Big,
  missing?: Big,
): [string, Filter] => [
  name,
  (value, other, more) => {
    const operand = missing && isMissing(other) ? missing : parseNumber(name, other);
    return result(compute(isMissing(value) ? zero : parseNumber(name, value), operand, more));
  },
];

const floor = (value: Big) => value.round(0, value.lt(0) ? Big.roundUp : Big.roundDown);
const ceil = (value: Big) => value.round(0, value.lt(0) ? Big.roundDown : Big.roundUp);

function quotient(value: Big, divisor: Big): Big {
  if (divisor.eq(0)) throw new RangeError('It divides by zero');
  const exact = value.div(divisor);
  return exact.times(divisor).eq(value) ? exact : exact.prec(quotientDigits);
}

function modulo(value: Big, divisor: Big): Big {
  if (divisor.eq(0)) throw new RangeError('It divides by zero');
  return value.mod(divisor).plus(divisor).mod(divisor);
}

const placesMax = 100;
function round(value: Big, places: Big): Big {
  if (places.abs().gt(placesMax) || !floor(places).eq(places)) {
    throw new RangeError(`The filter round takes a whole number of places, of at most ${placesMax}`);
  }
  return value.round(places.toNumber(), Big.roundHalfUp);
}

/** From here on, seconds would be those of the year 5138: it is a number of milliseconds. */
const millisecondsFrom = 1e11;
const daysFirst = /^(\d{1,2})\.(\d{1,2})\.(\d{4})(?=$|[\sT,])(.*)$/;
const withoutHyphens = /^((?:19|20)\d\d)(\d\d)(\d\d)$/;

/** What LiquidJS would read as another day, or roll into the next month. What is no date stays, as in Liquid. */
function readableDate(value: unknown): unknown {
  const text = String(value ?? '').trim();
  if (/^\d{12,15}$/.test(text) && Number(text) >= millisecondsFrom) return Number(text) / 1_000;
  if (typeof value !== 'string') return value;
  const two = (digits = '') => digits.padStart(2, '0');
  const iso = text
    .replace(daysFirst, (_, day, month, year, rest) => `${year}-${two(month)}-${two(day)}${rest}`)
    .replace(withoutHyphens, '$1-$2-$3');
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)(?!\d)/.exec(iso) ?? [];
  if (year === undefined) return value;
  const last = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  if (Number(month) < 1 || Number(month) > 12 || Number(day) < 1 || Number(day) > last)
    throw new RangeError(`There is no such day: ${describeValue(value)}`);
  return iso;
}

const toList = (value: unknown): unknown[] =>
  isMissing(value) ? [] : Array.isArray(value) ? value : [value];
const flatList = (value: unknown): unknown[] =>
  isMissing(value) ? [] : [value].flat(Number.POSITIVE_INFINITY);

/** Each item, with its property if one is named, else with itself. */
function* readProperty(
  { context }: Rendering,
  list: readonly unknown[],
  property: unknown,
): Generator<unknown, (readonly [item: unknown, each: unknown])[], unknown> {
  context.memoryLimit.use(list.length);
  const items: (readonly [unknown, unknown])[] = [];
  for (const item of list) {
    const each = isMissing(property) ? item : yield context._getFromScope(item, String(property), false);
    items.push([item, unwrapDrop(each)]);
  }
  return items;
}

/** In place of LiquidJS's. */
const ours: Record<string, Filter> = {
  ...Object.fromEntries([
    defineUnary('abs', (value) => value.abs()),
    defineUnary('ceil', ceil),
    defineUnary('floor', floor),
    defineUnary('to_integer', (value) => value),
    defineBinary('plus', (value, other) => value.plus(other)),
    defineBinary('minus', (value, other) => value.minus(other)),
    defineBinary('times', (value, other) => value.times(other)),
    defineBinary('at_least', (value, other) => (value.lt(other) ? other : value)),
    defineBinary('at_most', (value, other) => (value.gt(other) ? other : value)),
    defineBinary('divided_by', (value, other, isWhole) =>
      isWhole === true ? floor(quotient(value, other)) : quotient(value, other),
    ),
    defineBinary('modulo', modulo),
    defineBinary('round', round, zero),
  ]),
  *sum(value, property): Generator<unknown, number | bigint | string, unknown> {
    let total = zero;
    for (const [item, each] of yield* readProperty(this, flatList(value), property)) {
      if (!isMissing(property) && typeof item !== 'object')
        throw new RangeError('The filter sum with a property needs objects');
      if (!isMissing(each)) total = total.plus(parseNumber('sum', each));
    }
    return result(total);
  },
  size(value) {
    if (typeof value === 'string') return value.length;
    return typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
  },
  *uniq(value, property): Generator<unknown, unknown[], unknown> {
    const names = new Set<unknown>();
    const items = yield* readProperty(this, toList(value), property);
    return items
      .filter(([, each]) => {
        const name = `${typeof each} ${toPlain(each)}`;
        return !names.has(name) && names.add(name);
      })
      .map(([item]) => item);
  },
  *compact(value, property): Generator<unknown, unknown[], unknown> {
    const items = yield* readProperty(this, toList(value), property);
    return items.filter(([, each]) => each !== null && each !== undefined).map(([item]) => item);
  },
  /** The inside of a literal of JSON. */
  json_text(value) {
    const text = String(toPlain(value) ?? '');
    this.context.memoryLimit.use(text.length);
    return JSON.stringify(text).slice(1, -1);
  },
  /** In LiquidJS, what is behind `raw` is not made into JSON. */
  raw: (value) => value,
};
