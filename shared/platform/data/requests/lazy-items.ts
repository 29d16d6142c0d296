/**
 * Items of an answer of DynamoDB, each attribute of which is parsed when it is asked for.
 *
 * Readers that drop most of what they read ask for few attributes, so the answer is only split: into its items, and these into
 * the places of their attributes. Besides, the engine of `npm start` gives the attributes of each item in another order, and
 * V8 makes a hidden class of each order, which takes longer than all else. An answer has up to 16 MB: it is split, as
 * items are read, in turns of the event loop.
 *
 * `attempt.ts` splits, if a request asks for it; what cannot be split is left to the SDK. An item that the SDK has read behaves
 * the same.
 */
import { setImmediate } from 'node:timers/promises';
import { eventLoopYielder } from '../../../core/concurrency/event-loop.ts';
import { endOfString } from '../../../core/json/value-count.ts';
import { fromWire, type WireValue } from './attribute-values.ts';

type Attributes = Record<string, unknown>;

export interface LazyItem {
  /** The value of an attribute; `undefined` if the item has none of this name. */
  get: (name: string) => unknown;
  /** All attributes. */
  read: () => Attributes;
}

/** Of a request whose answer is to have lazy items. Clients of the SDK do not know it: `toLazyItem` takes theirs too. */
export const lazily: object = { lazyItems: true };

export const toLazyItem = (item: Attributes | LazyItem): LazyItem =>
  item instanceof SplitItem
    ? item
    : { get: (name) => (item as Attributes)[name], read: () => item as Attributes };

class SplitItem implements LazyItem {
  readonly #text: string;
  /** For each attribute, where its name and its value begin and end. */
  readonly #places: readonly number[];
  /** The names of attributes in the order in which all items of an answer are read. */
  readonly #order: string[];

  constructor(text: string, places: readonly number[], order: string[]) {
    this.#text = text;
    this.#places = places;
    this.#order = order;
  }

  get(name: string): unknown {
    const at = this.#find(name);
    return at === -1 ? undefined : this.#valueAt(at);
  }

  read(): Attributes {
    const item: Attributes = {};
    let found = 0;
    for (const name of this.#order) {
      const at = this.#find(name);
      if (at === -1) continue;
      item[unescapeName(name)] = this.#valueAt(at);
      found++;
    }
    if (found * 4 === this.#places.length) return item;
    const others = this.#names().filter((name) => !this.#order.includes(name));
    if (others.length === 0) return item;
    this.#order.push(...others.sort());
    return this.read();
  }

  #find(name: string): number {
    const [text, places] = [this.#text, this.#places];
    for (let at = 0; at < places.length; at += 4) {
      const begin = places[at] as number;
      if ((places[at + 1] as number) - begin === name.length && text.startsWith(name, begin)) return at;
    }
    return -1;
  }

  #names(): string[] {
    const names: string[] = [];
    for (let at = 0; at < this.#places.length; at += 4)
      names.push(this.#text.slice(this.#places[at], this.#places[at + 1]));
    return names;
  }

  #valueAt(at: number): unknown {
    return fromWire(JSON.parse(this.#text.slice(this.#places[at + 2], this.#places[at + 3])) as WireValue);
  }
}

const unescapeName = (name: string): string => (name.includes('\\') ? JSON.parse(`"${name}"`) : name);

/** A longer answer is not split in the turn in which it came. */
const splitAtOnce = 1_000_000;

/**
 * Splits an answer of BatchGetItem. `readOthers` gets its other members, which are small, parsed.
 * @throws SyntaxError if it is not one
 */
export async function splitAnswer(body: Buffer, readOthers: (others: object) => object): Promise<object> {
  if (body.length > splitAtOnce) await setImmediate();
  const turn = eventLoopYielder();
  const cursor = new Cursor(body.toString());
  const tables: Record<string, LazyItem[]> = {};
  const others: Record<string, unknown> = {};
  while (cursor.enterMember()) {
    const member = cursor.readName();
    if (member !== 'Responses') others[member] = cursor.readValue();
    else while (cursor.enterMember()) tables[cursor.readName()] = await splitItems(cursor, turn);
  }
  cursor.expectEnd();
  return { ...readOthers(others), Responses: tables };
}

async function splitItems(cursor: Cursor, turn: () => Promise<void> | undefined): Promise<LazyItem[]> {
  const items: LazyItem[] = [];
  const order: string[] = [];
  while (cursor.enterElement()) {
    items.push(cursor.splitItem(order));
    const pause = turn();
    if (pause) await pause;
  }
  return items;
}

const [quote, comma, colon] = [34, 44, 58];
const [openingBracket, closingBracket, openingBrace, closingBrace] = [91, 93, 123, 125];
const space = 32;

/** Goes through a text of JSON from value to value. Checks no more of it than it needs: parsing a value checks that. */
class Cursor {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Opens an object, or goes to its next member; closes it if there is none. */
  enterMember(): boolean {
    return this.#enter(openingBrace, closingBrace);
  }

  /** The same in a list. */
  enterElement(): boolean {
    return this.#enter(openingBracket, closingBracket);
  }

  #enter(opening: number, closing: number): boolean {
    const found = this.#skipBlanks();
    if (found !== opening && found !== comma && found !== closing) throw this.#unexpected();
    this.#at++;
    if (found === closing) return false;
    if (found === comma || this.#skipBlanks() !== closing) return true;
    this.#at++;
    return false;
  }

  readName(): string {
    const begin = this.#skipBlanks() === quote ? this.#at : this.#text.length;
    return JSON.parse(this.#text.slice(begin, this.#skipName()));
  }

  readValue(): unknown {
    this.#skipBlanks();
    return JSON.parse(this.#text.slice(this.#at, this.#skipValue()));
  }

  splitItem(order: string[]): LazyItem {
    const places: number[] = [];
    while (this.enterMember()) {
      this.#skipBlanks();
      const begin = this.#at + 1;
      const end = this.#skipName() - 1;
      this.#skipBlanks();
      places.push(begin, end, this.#at, this.#skipValue());
    }
    return new SplitItem(this.#text, places, order);
  }

  expectEnd(): void {
    if (!Number.isNaN(this.#skipBlanks())) throw this.#unexpected();
  }

  /** @returns where the name ends. */
  #skipName(): number {
    if (this.#text.charCodeAt(this.#at) !== quote) throw this.#unexpected();
    const end = endOfString(this.#text, this.#at) + 1;
    this.#at = end;
    if (this.#skipBlanks() !== colon) throw this.#unexpected();
    this.#at++;
    return end;
  }

  /** @returns where the value ends. */
  #skipValue(): number {
    const text = this.#text;
    let at = this.#at;
    for (let open = 0; at < text.length; at++) {
      const character = text.charCodeAt(at);
      if (character === quote) at = endOfString(text, at);
      else if (character === openingBrace || character === openingBracket) open++;
      else if (character === closingBrace || character === closingBracket) open--;
      else if (character !== comma || open > 0) continue;
      if (open > 0) continue;
      // The end of a number, true, false or null is in front of what follows.
      if (open === 0 && character !== comma) at++;
      break;
    }
    this.#at = at;
    return at;
  }

  /** @returns the character that follows; NaN at the end. */
  #skipBlanks(): number {
    let found = this.#text.charCodeAt(this.#at);
    while (found <= space) found = this.#text.charCodeAt(++this.#at);
    return found;
  }

  #unexpected(): SyntaxError {
    return new SyntaxError(`Unexpected text at ${this.#at}`);
  }
}
