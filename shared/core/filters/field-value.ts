import Big from 'big.js';
import { trimTrailing } from '../text.ts';
import { isPlainNumber, parseInstant, toBoolean, toNumber } from './comparison.ts';
import { isSet } from './field.ts';

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
