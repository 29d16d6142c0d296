import { formLengthMin } from './form-finder.ts';

/** Limits the forms of long values: a few forms are enough to find them. */
const packedTokensMax = 20;

/** One word or two, perhaps with a number: the name of a stage, of a user, of a tenant. */
const words = /^(?:\p{Lu}?\p{Ll}+|\p{Lu}+)(?:[-_. ](?:\p{Lu}?\p{Ll}+|\p{Lu}+))?\d{0,3}$/u;
const wordsLengthMax = 15;
const emailAddress = /^[^\s@]{1,64}@[a-z0-9.-]{1,190}\.[a-z]{2,24}$/i;

/** Whether texts that have nothing to do with a secret may have its value. */
export const isOrdinary = (value: string): boolean =>
  value.length <= wordsLengthMax ? words.test(value) || emailAddress.test(value) : emailAddress.test(value);

/** The encodings in which recipients may write a value, including nested ones. */
export function secretForms(value: string): string[] {
  const texts = textForms(value);
  const tokens = findTokens(value);
  const longest = tokens.toSorted((one, other) => other.length - one.length).slice(0, packedTokensMax);
  const packed = [...new Set([...texts, ...longest])].flatMap((text) => [
    ...hexForms(text),
    ...base64Forms(text),
  ]);
  return [...new Set([...texts, ...tokens, ...packed])].filter((form) => form.length >= formLengthMin);
}

function textForms(value: string): string[] {
  const json = JSON.stringify(value).slice(1, -1);
  const ascii = json.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const urls = urlForms(value);
  return [
    value,
    json,
    ascii,
    json.replaceAll('/', '\\/'),
    JSON.stringify(json).slice(1, -1),
    ...urls,
    ...urls.map((url) => url.replace(/%[0-9A-F]{2}/g, (sign) => sign.toLowerCase())),
    ...htmlForms(value),
    value.toLowerCase(),
    value.toUpperCase(),
    value.replace(/\r?\n/g, '\r\n'),
    escapeForScript(value),
  ];
}

/** Escapes a value for any literal, comment or regular expression of a script. */
export const escapeForScript = (text: string) =>
  text.replace(/[^A-Za-z0-9]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

function urlForms(value: string): string[] {
  const encoded = encodeURIComponent(value.toWellFormed());
  const strictly = encoded.replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  const asForm = new URLSearchParams({ v: value }).toString().slice(2);
  const { search, pathname, hash } = new URL(`http://a/${value}`);
  const inPath = `${pathname}${search}${hash}`.slice(1);
  const inQuery = new URL(`http://a/?${value}`).href.slice('http://a/?'.length);
  const inFragment = new URL(`http://a/#${value}`).hash.slice(1);
  const asUrl = [inPath, inQuery, inFragment, encodeURI(value.toWellFormed())];
  return [encoded, strictly, asForm, ...asUrl, encodeURIComponent(encoded)];
}

const htmlForms = (value: string) =>
  ['&#39;', '&#x27;', '&apos;', "'"].map((apostrophe) =>
    value
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
      .replaceAll("'", apostrophe),
  );

/** Parts that no encoding changes and that are too long to occur by chance. */
const findTokens = (value: string) => value.match(/[A-Za-z0-9]{16,}/g) ?? [];

function hexForms(text: string): string[] {
  const hex = Buffer.from(text).toString('hex');
  return [hex, hex.toUpperCase()];
}

/** Base64 depends on the offset of the text modulo 3, and its ends mix with adjacent bytes. */
function base64Forms(text: string): string[] {
  const bytes = Buffer.from(text);
  const certain = [0, 1, 2].map((before) => {
    const all = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    return all.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
  });
  return [bytes.toString('base64'), ...certain].flatMap((each) => [
    each,
    each.replaceAll('+', '-').replaceAll('/', '_'),
  ]);
}
