import { invalidAt } from '../errors/errors.ts';

/**
 * How many values a document of JSON may have, each list and object with what is in it counted: parsing and validating them
 * takes about a tenth of a second.
 */
export const valuesMax = 100_000;
/** Of all objects of a body with more than `manyMembers`, which take longer than lists. More than metadata of 256 KB can have. */
const bodyMembersMax = 30_000;
/** The same of an answer, which no schema is checked against. */
export const answerMembersMax = 50_000;
const manyMembers = 1_000;

/** Whether a text of JSON has more values, or large objects with more members. Reads it without parsing it. */
export function textHasTooManyValues(text: string, max = valuesMax, membersMax = bodyMembersMax): boolean {
  // Each value but the first takes two characters at least.
  if (text.length <= 2 * Math.min(max, membersMax)) return false;
  /** For each open object how many members it has, for each list 0. */
  const open: number[] = [];
  let count = 1;
  let ofLarge = 0;
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
      if (members && members >= manyMembers) ofLarge += members === manyMembers ? manyMembers + 1 : 1;
      if (ofLarge > membersMax) return true;
    } else if (character === quote) at = endOfString(text, at);
    if (count > max) return true;
  }
  return false;
}

/** @throws ServiceError 400 for a body of too many values. */
export function assertValueCount(text: string): void {
  if (!textHasTooManyValues(text)) return;
  const message = `The body has more than ${valuesMax} values, each list and object with what is in it counted, or large objects with more than ${bodyMembersMax} members. Send less at once`;
  throw invalidAt('', 'TOO_MANY_VALUES', message);
}

/** Counts the values of JSON as its bytes come. @param perLine Each line is a text of its own, as in streams of events. */
export function valueCounter(perLine = false): (chunk: Uint8Array) => number {
  let count = 0;
  let isInString = false;
  let isEscaped = false;
  let highest = 0;
  return (chunk) => {
    for (const byte of chunk) {
      if (perLine && byte === newline) {
        highest = Math.max(highest, count);
        count = 0;
        isInString = isEscaped = false;
      } else if (isInString) {
        if (isEscaped) isEscaped = false;
        else if (byte === backslash) isEscaped = true;
        else isInString = byte !== quote;
      } else if (byte === quote) isInString = true;
      else if (byte === comma || byte === openingBracket || byte === openingBrace) count++;
    }
    return Math.max(highest, count);
  };
}

const [newline, backslash] = [0x0a, 0x5c];
const [space, quote, comma] = [0x20, 0x22, 0x2c];
const [openingBracket, closingBracket, openingBrace, closingBrace] = [0x5b, 0x5d, 0x7b, 0x7d];

/** The position of the quote that closes the string which begins at `from`. */
export function endOfString(text: string, from: number): number {
  for (let end = text.indexOf('"', from + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text[before] === '\\') before--;
    if ((end - before) % 2 === 1) return end;
  }
  return text.length;
}

/** Whether a value of JSON has more values in it. */
export function hasTooManyValues(value: unknown, max = valuesMax): boolean {
  const open = [value];
  for (let count = 1; open.length > 0; ) {
    const next = open.pop();
    if (typeof next !== 'object' || next === null) continue;
    const members: unknown[] = Array.isArray(next) ? next : Object.values(next);
    count += members.length;
    if (count > max) return true;
    for (const member of members) open.push(member);
  }
  return false;
}
