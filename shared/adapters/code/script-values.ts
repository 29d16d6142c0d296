import { bigintMark, markNumbers, mayBeInexact } from '../../core/json/exact-json.ts';

/** Values on their way into scripts. In scripts, whole numbers beyond 2^53 are bigints too. */
export function toScript(value: unknown): string {
  const json = JSON.stringify(value);
  return mayBeInexact(json) ? JSON.stringify(markNumbers(value)) : json;
}

/** A bigint's literal, or what makes one. A name that code puts together from parts is not seen. */
const bigints = /BigInt|\dn\b|0[xX][\da-fA-F_]+n\b/;

/**
 * Whether code may see a bigint, so that it needs `exactJsonOfScripts`, which takes as long to define as a short script to run.
 * @param variables as `toScript` made them
 */
export const mayUseBigints = (code: string, variables: string): boolean =>
  variables.includes(bigintMark) || bigints.test(code);

/**
 * JSON in scripts, in which bigints keep their digits: `parse` of what `toScript` made, and `stringify`, which becomes that of the
 * script too. An engine without `JSON.rawJSON` needs a text in between.
 */
export const exactJsonOfScripts = `(() => {
  const { parse, stringify } = JSON;
  const { keys } = Object;
  const text = String;
  const Digits = BigInt;
  const mark = ${JSON.stringify(bigintMark)};
  const isDigits = /^-?[0-9]{1,38}$/;
  // No text of a variable has it.
  const sign = 'whole' + String(Math.random()).slice(2) + String(Math.random()).slice(2) + ':';
  const written = new RegExp('"' + sign + '(-?[0-9]+)"', 'g');
  const exact = (_name, value) => {
    const digits = value !== null && typeof value === 'object' ? value[mark] : undefined;
    return typeof digits === 'string' && isDigits.test(digits) && keys(value).length === 1 ? Digits(digits) : value;
  };
  Object.defineProperty(Digits.prototype, 'toJSON', {
    value() { return sign + text(this); },
    writable: true,
    configurable: true,
  });
  const exactText = (...args) => {
    const json = stringify(...args);
    return typeof json === 'string' && json.includes(sign) ? json.replace(written, '$1') : json;
  };
  JSON.stringify = exactText;
  return { parse: (json) => (json.includes(mark) ? parse(json, exact) : parse(json)), stringify: exactText };
})()`;
