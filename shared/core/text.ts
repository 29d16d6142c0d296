/** Truncates a text without splitting a surrogate pair, which DynamoDB rejects. */
export const truncate = (text: string, charactersMax: number) =>
  text
    .slice(0, charactersMax)
    .replace(/[\ud800-\udbff]$/, '')
    .toWellFormed();

/** What an error quotes: all or nothing, because a part of a secret's value would not be recognised, and shown. */
export const wholeOrLength = (text: string, charactersMax: number) =>
  text.length <= charactersMax ? text : `a text of ${text.length} characters`;

/** Removes trailing characters. A regular expression such as `/0+$/` takes quadratic time on long texts. */
export function trimTrailing(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end--;
  return text.slice(0, end);
}

/**
 * A whole number as `10,000`. Not by `Intl`, whose first use takes 13 ms: what describes an endpoint is in the start of its
 * Lambda.
 */
export function groupDigits(number: number): string {
  const digits = String(number);
  const groups: string[] = [];
  for (let end = digits.length; end > 0; end -= 3) groups.unshift(digits.slice(Math.max(0, end - 3), end));
  return groups.join(',');
}

/** A text as one part of a URL. encodeURIComponent throws at half of a pair of surrogates, which anybody can send. */
export const urlPart = (text: string) => encodeURIComponent(text.toWellFormed());

export const capitalise = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
