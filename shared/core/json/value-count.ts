import { invalidAt } from '../errors/errors.ts';

/**
 * How many values a document of JSON may have, each list and object with what is in it counted: parsing and validating them
 * takes about a tenth of a second.
 */
export const valuesMax = 100_000;
/** Of one object, which takes longer than a list. More than metadata of 256 KB can have. */
const membersMax = 50_000;

/** Whether a text of JSON has more values, or an object with more members. Reads it without parsing it. */
export function textHasTooManyValues(text: string): boolean {
  // Each value but the first takes two characters at least.
  if (text.length <= 2 * valuesMax) return false;
  /** For each open object how many members it has, for each list 0. */
  const open: number[] = [];
  let count = 1;
  let opened = false;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character <= space) continue;
    if (opened && character !== closingBracket && character !== closingBrace) count++;
    opened = character === openingBracket || character === openingBrace;
    if (opened) open.push(character === openingBrace ? 1 : 0);
    else if (character === closingBracket || character === closingBrace) open.pop();
    else if (character === comma) {
      count++;
      const members = open.at(-1);
      if (members) open[open.length - 1] = members + 1;
      if (members === membersMax) return true;
    } else if (character === quote) at = endOfString(text, at);
    if (count > valuesMax) return true;
  }
  return false;
}

const [space, quote, comma] = [0x20, 0x22, 0x2c];
const [openingBracket, closingBracket, openingBrace, closingBrace] = [0x5b, 0x5d, 0x7b, 0x7d];

/** The position of the quote that closes the string which begins at `from`. */
function endOfString(text: string, from: number): number {
  for (let end = text.indexOf('"', from + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text[before] === '\\') before--;
    if ((end - before) % 2 === 1) return end;
  }
  return text.length;
}

/** Whether a value of JSON has more values in it. */
export function hasTooManyValues(value: unknown): boolean {
  const open = [value];
  for (let count = 1; open.length > 0; ) {
    const next = open.pop();
    if (typeof next !== 'object' || next === null) continue;
    const members: unknown[] = Array.isArray(next) ? next : Object.values(next);
    count += members.length;
    if (count > valuesMax) return true;
    for (const member of members) open.push(member);
  }
  return false;
}

/** @throws ServiceError 400 for a body of too many values. */
export function assertValueCount(text: string): void {
  if (!textHasTooManyValues(text)) return;
  const message = `The body has more than ${valuesMax} values, each list and object with what is in it counted, or an object with more than ${membersMax} members. Send less at once`;
  throw invalidAt('', 'TOO_MANY_VALUES', message);
}
