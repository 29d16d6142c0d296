import type { QuickJSContext } from 'quickjs-emscripten-core';
import { memoise } from '../../core/cache.ts';

/*
 * In QuickJS, `toLocaleString`, `localeCompare` and the like ignore language, zone and options without a word. Code that
 * names one of them gets those of Node: `defineLocale` defines them in the context before the code runs, and they ask
 * functions of the host, which take and return texts. Without a language it is en-US, without a zone that of the
 * process, as for all methods of dates (on AWS: UTC). What Node refuses (an unknown zone, a wrong option) is thrown in
 * the code. Other code does not pay for it: defining takes a third of a millisecond (D253).
 */

/** Uses nothing that code can change. */
const define = `(ask, compare) => {
  const { parse, stringify } = JSON;
  const { apply } = Reflect;
  const { from, isArray } = Array;
  const { defineProperty, entries, getPrototypeOf } = Object;
  const { toLocaleLowerCase, toLocaleUpperCase } = String.prototype;
  const text = String;
  const named = ([locales, options]) => locales === undefined && options === undefined
    ? ''
    : stringify([isArray(locales) ? from(locales, text) : locales === undefined ? null : text(locales), options]);
  const request = (method, value, settings) => parse(ask(method, stringify(value), named(settings)));
  const set = (holder, name, value) => defineProperty(holder, name, { value, writable: true, configurable: true });
  const formats = (holder, name, method, valueOf) =>
    set(holder, name, function (...settings) { return request(method, valueOf(this), settings); });

  const { getTime } = Date.prototype;
  for (const name of ['toLocaleString', 'toLocaleDateString', 'toLocaleTimeString'])
    formats(Date.prototype, name, name, (self) => apply(getTime, self, []));
  const { valueOf: number } = Number.prototype;
  const digits = (value) => value === 0 && 1 / value < 0 ? '-0' : text(value);
  formats(Number.prototype, 'toLocaleString', 'number', (self) => digits(apply(number, self, [])));
  const { valueOf: integer } = BigInt.prototype;
  formats(BigInt.prototype, 'toLocaleString', 'number', (self) => text(apply(integer, self, [])));
  set(String.prototype, 'localeCompare', function (other, ...settings) {
    return compare(text(this), text(other), named(settings));
  });
  for (const [name, plain] of entries({ toLocaleLowerCase, toLocaleUpperCase })) {
    set(String.prototype, name, function (...settings) {
      return settings[0] === undefined ? apply(plain, this, []) : request(name, text(this), settings);
    });
  }
  const listed = function (...settings) {
    let words = '';
    for (let index = 0; index < this.length; index++) {
      const item = this[index] ?? null;
      words += (index === 0 ? '' : ',') + (item === null ? '' : item.toLocaleString(...settings));
    }
    return words;
  };
  set(Array.prototype, 'toLocaleString', listed);
  set(getPrototypeOf(Uint8Array.prototype), 'toLocaleString', listed);
}`;

/** A name that code puts together from parts is not seen. */
const names = /toLocale|localeCompare/;

export function defineLocale(context: QuickJSContext, code: string): void {
  if (!names.test(code)) return;
  using defining = context.unwrapResult(context.evalCode(define));
  using ask = context.newFunction('ask', (...texts) => {
    const [method = '', value = '', settings = ''] = texts.map((each) => context.getString(each));
    return context.newString(JSON.stringify(answers[method]?.(JSON.parse(value) as never, settings) ?? null));
  });
  // Sorting compares often, so it needs no JSON.
  using compare = context.newFunction('compare', (one, other, settings) =>
    context.newNumber(
      collator(context.getString(settings)).compare(context.getString(one), context.getString(other)),
    ),
  );
  context.unwrapResult(context.callFunction(defining, context.undefined, ask, compare)).dispose();
}

const defaultLanguage = 'en-US';
/** More is no language, and takes Node long. */
const settingsCharactersMax = 1_000;

type Settings = [string | string[], object?];

/** @param text JSON, made by code of a tenant; empty for the default. @throws RangeError if it is too long */
function parseSettings(text: string): Settings {
  if (text.length > settingsCharactersMax) {
    throw new RangeError(`Languages and options have at most ${settingsCharactersMax} characters`);
  }
  const [locales, options] = (text ? JSON.parse(text) : []) as [Settings[0] | null, object | null] | [];
  return [locales ?? defaultLanguage, ...(options ? [options] : [])] as Settings;
}

/** Making one takes as long as formatting a hundred values. */
const numberFormat = memoise((text) => new Intl.NumberFormat(...parseSettings(text)), { entriesMax: 20 });
const collator = memoise((text) => new Intl.Collator(...parseSettings(text)), { entriesMax: 20 });

/** By the method. A value is a time (null is an invalid one), the digits of a number, or a text. @throws what Node throws */
const answers: Record<string, (value: never, settings: string) => string> = {
  toLocaleString: (value: number | null, settings: string) =>
    toDate(value).toLocaleString(...parseSettings(settings)),
  toLocaleDateString: (value: number | null, settings) =>
    toDate(value).toLocaleDateString(...parseSettings(settings)),
  toLocaleTimeString: (value: number | null, settings) =>
    toDate(value).toLocaleTimeString(...parseSettings(settings)),
  number: (value: Intl.StringNumericLiteral, settings: string) => numberFormat(settings).format(value),
  toLocaleLowerCase: (value: string, settings) => value.toLocaleLowerCase(parseSettings(settings)[0]),
  toLocaleUpperCase: (value: string, settings) => value.toLocaleUpperCase(parseSettings(settings)[0]),
};

const toDate = (time: number | null) => new Date(time ?? Number.NaN);
