import * as z from 'zod';

/** Key and end may be missing. Keys are bounded and blanks match in one place, so it takes linear time. */
const reference =
  /\{\{(?<dash>-?)\s*secret:\s*(?:(?<key>(?:[^\s{|}-]|-(?!\})){1,101})(?<end>\s*(?:\|[^{}]*|-)?\}\})?|(?<endWithoutKey>\}\})?)/g;

interface Reference {
  dash: string;
  key: string;
  /** The part between the key and the closing braces. */
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

const replaceReferences = (text: string, replace: (reference: Reference, whole: string) => string) =>
  text.includes('secret:')
    ? text.replace(reference, (whole, ...groups) => replace(toReference(groups.at(-1)), whole))
    : text;

/** Whether the reference is valid in a script: without Liquid's dashes and filters. */
const isPlain = ({ dash, key, end }: Reference) =>
  dash === '' && !key.includes('-') && end?.trimStart() === '}}';

/** A script's variable access: `secrets.KEY` or `secrets['KEY']`. */
const member = /\bsecrets\s*(?:\?\.\s*|\.\s*|(?:\?\.\s*)?\[\s*['"`])([A-Z][A-Z0-9_]{1,99})\b/g;

const findReferences = (text: string) =>
  hasSecretReference(text) ? [...text.matchAll(reference)].map(({ groups = {} }) => toReference(groups)) : [];

/** Whether a text contains a secret reference, valid or not. */
export const hasSecretReference = (text: string) => text.includes('secret:') && text.search(reference) >= 0;

/** The key of the secret if a text is one reference and nothing else. */
export function soleSecretReference(text: string): string | undefined {
  const [, key] = /^\{\{\s*secret:\s*([A-Z][A-Z0-9_]{1,99})\s*\}\}$/.exec(text) ?? [];
  return key;
}

export const secretKeysInTemplate = (text: string) => findReferences(text).map(({ key }) => key);

/** The keys of the secrets that a script references, in literals or as `secrets.KEY`. */
export const secretKeysInScript = (code: string) => [
  ...findReferences(code)
    .filter(isPlain)
    .map(({ key }) => key),
  ...[...code.matchAll(member)].map(([, key = '']) => key),
];

/** Rewrites references for Liquid: secrets become members of one variable. */
export const toSecretsVariable = (text: string) =>
  replaceReferences(text, ({ dash, key, end = '' }) => `{{${dash} secrets.${key}${end}`);

/** Replaces each complete reference with `secret:KEY`. */
export const toBareReferences = (text: string) =>
  replaceReferences(text, ({ key, end }, whole) =>
    end !== undefined && SecretKey.safeParse(key).success ? `secret:${key}` : whole,
  );

/** The error in the keys that a text references, or `undefined`. */
export function secretNameProblem(keys: readonly string[]): string | undefined {
  const wrong = keys.find((key) => !SecretKey.safeParse(key).success);
  return wrong === undefined
    ? undefined
    : `secret:${wrong} is not a valid secret reference: a key has 2 to 100 capital letters, digits and _, starting with a letter`;
}

export const replaceInScript = (code: string, replace: (key: string) => string) =>
  replaceReferences(code, (found, whole) => (isPlain(found) ? replace(found.key) : whole));

/** The key of a secret: `KEY` in `{{secret:KEY}}`. */
export const SecretKey = z
  .string()
  .min(2)
  .max(100)
  .regex(/^[A-Z][A-Z0-9_]*$/, 'Expected capital letters, digits and _, starting with a letter');
