import { SecretKey } from './secret-key.ts';

/**
 * `{{secret:KEY}}`, with the blanks, dashes and filters that Liquid allows; the key and the end may be missing. Keys are
 * bounded, and blanks have one place each, so that no text takes more than a reading.
 */
const reference =
  /\{\{(?<dash>-?)\s*secret:\s*(?:(?<key>(?:[^\s{|}-]|-(?!\})){1,101})(?<end>\s*(?:\|[^{}]*|-)?\}\})?|(?<endWithoutKey>\}\})?)/g;

interface Reference {
  dash: string;
  key: string;
  /** From after the key to the closing braces. */
  end: string | undefined;
}

const toReference = ({
  dash = '',
  key = '',
  end,
  endWithoutKey,
}: Partial<Record<string, string>>): Reference => ({
  dash,
  key,
  end: end ?? endWithoutKey,
});

const replaced = (text: string, replace: (reference: Reference, whole: string) => string) =>
  text.includes('secret:')
    ? text.replace(reference, (whole, ...groups) => replace(toReference(groups.at(-1)), whole))
    : text;

/** Whether a script may have it so: without dashes and filters, which are Liquid's. */
const isPlain = ({ dash, key, end }: Reference) =>
  dash === '' && !key.includes('-') && end?.trimStart() === '}}';

/** What a script reads as a variable: `secrets.KEY` or `secrets['KEY']`. */
const member = /\bsecrets\s*(?:\?\.\s*|\.\s*|(?:\?\.\s*)?\[\s*['"`])([A-Z][A-Z0-9_]{1,99})\b/g;

const referencesIn = (text: string) =>
  hasSecretReference(text) ? [...text.matchAll(reference)].map(({ groups = {} }) => toReference(groups)) : [];

/** Whether a text names a secret, right or wrong. */
export const hasSecretReference = (text: string) => text.includes('secret:') && text.search(reference) >= 0;

/** The keys of the secrets that a template names. */
export const secretKeysInTemplate = (text: string) => referencesIn(text).map(({ key }) => key);

/** The keys of the secrets that a script names, in its literals or as `secrets.KEY`. */
export const secretKeysInScript = (code: string) => [
  ...referencesIn(code)
    .filter(isPlain)
    .map(({ key }) => key),
  ...[...code.matchAll(member)].map(([, key = '']) => key),
];

/** The template as Liquid takes it: the secrets are members of one variable. */
export const withSecretsVariable = (text: string) =>
  replaced(text, ({ dash, key, end = '' }) => `{{${dash} secrets.${key}${end}`);

/** The text with `secret:KEY` in place of each whole reference. */
export const withBareReferences = (text: string) =>
  replaced(text, ({ key, end }, whole) =>
    end !== undefined && SecretKey.safeParse(key).success ? `secret:${key}` : whole,
  );

/** What is wrong with the names of secrets in a text, or nothing. */
export function secretNameProblem(keys: readonly string[]): string | undefined {
  const wrong = keys.find((key) => !SecretKey.safeParse(key).success);
  return wrong === undefined
    ? undefined
    : `secret:${wrong} names no secret: a key has 2 to 100 capital letters, digits and _, beginning with a letter`;
}

/** A script with something in place of each `{{secret:KEY}}`. */
export const replaceInScript = (code: string, replace: (key: string) => string) =>
  replaced(code, (found, whole) => (isPlain(found) ? replace(found.key) : whole));
