import { domainToASCII } from 'node:url';
import * as z from 'zod';

const addressCharactersMax = 254;
// An unclosed quote extends to the end, so that no character is matched twice.
const separated = /(?:"(?:[^"\\]|\\.?)*(?:"|$)|[^",])+/g;
const named = /^(?<name>"(?:[^"\\]|\\.)*" *|[^"<>]*)<(?<address>[^<>]*)>$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what may not get into a header
const control = /[\x00-\x1f\x7f\u2028\u2029]/;

/** Whether a text would break a header line. */
export const hasControlCharacters = (text: string) => control.test(text);

/** Into their ASCII form for mail headers. @throws TypeError that names the invalid part. */
export function parseMailboxes(text: string): string[] {
  if (hasControlCharacters(text))
    throw new TypeError('An address must not contain line breaks or other control characters');
  return (text.match(separated) ?? [])
    .map((part) => part.trim())
    .flatMap((part) => (part ? [mailbox(part)] : []));
}

function mailbox(text: string): string {
  const { name = '', address = text } = named.exec(text)?.groups ?? {};
  const at = address.lastIndexOf('@');
  const ascii = `${address.slice(0, at)}@${domainToASCII(address.slice(at + 1))}`;
  if (at < 1 || ascii.length > addressCharactersMax || !z.regexes.html5Email.test(ascii)) {
    throw new TypeError(`"${text.slice(0, 100)}" is not an email address`);
  }
  const shown = name.trim();
  const plain = shown.startsWith('"') ? shown.slice(1, -1).replace(/\\(.)/g, '$1') : shown;
  return plain ? `${phrase(plain)} <${ascii}>` : ascii;
}

const ascii = /^[\x20-\x7e]*$/;

/** A display name for a header: quoted, or as RFC 2047 encoded words of at most 75 characters. */
function phrase(name: string): string {
  if (ascii.test(name)) return `"${name.replace(/["\\]/g, '\\$&')}"`;
  const words = [''];
  for (const character of name) {
    const longer = (words.at(-1) ?? '') + character;
    if (Buffer.byteLength(longer) > 45) words.push(character);
    else words[words.length - 1] = longer;
  }
  return words.map((word) => `=?UTF-8?B?${Buffer.from(word).toString('base64')}?=`).join(' ');
}
