import { SecretKey } from './secret-key.ts';

// Names are bounded and blanks have one place each, so that no text takes more than a reading.

/** The beginning of `{{secret:KEY}}`, with the blanks and the dash that Liquid allows. */
const opening = /\{\{(-?)\s*secret:\s*((?:[^\s{|}-]|-(?!\})){0,101})/g;
/** The whole of it, as a script may have it. */
const plain = /\{\{\s*secret:\s*(?:([^\s{|}-]{1,101})\s*)?\}\}/g;
/** What a script reads as a variable: `secrets.KEY` or `secrets['KEY']`. */
const member = /\bsecrets\s*(?:\?\.\s*|\.\s*|(?:\?\.\s*)?\[\s*['"`])([A-Z][A-Z0-9_]{1,99})\b/g;

const namesIn = (text: string, pattern: RegExp, group: number) =>
  [...text.matchAll(pattern)].map((match) => match[group] ?? '');

/** Whether a text names a secret, right or wrong. */
export const namesSecret = (text: string) => text.includes('secret:') && text.search(opening) >= 0;

/** The keys of the secrets that a template names. */
export const keysOfTemplate = (text: string) => (namesSecret(text) ? namesIn(text, opening, 2) : []);

/** The keys of the secrets that a script names, in its literals or as `secrets.KEY`. */
export const keysOfScript = (code: string) => [...namesIn(code, plain, 1), ...namesIn(code, member, 1)];

/** The template as Liquid takes it: the secrets are members of one variable. */
export const withSecretsVariable = (text: string) =>
  namesSecret(text) ? text.replace(opening, '{{$1 secrets.$2') : text;

/** What is wrong with the names of secrets in a text, or nothing. */
export function secretNameProblem(keys: readonly string[]): string | undefined {
  const wrong = keys.find((key) => !SecretKey.safeParse(key).success);
  return wrong === undefined
    ? undefined
    : `secret:${wrong} names no secret: a key has 2 to 100 capital letters, digits and _, beginning with a letter`;
}

/** A script with something in place of each `{{secret:KEY}}`. */
export const inScript = (code: string, replace: (key: string) => string) =>
  code.includes('secret:') ? code.replace(plain, (_all, key: string) => replace(key)) : code;
