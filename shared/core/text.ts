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

/** Spaces and a language may follow a fence. JSON may begin in the same line. */
const start = /(`{3,16}|~{3,16})[ \t]{0,40}[\w+#.-]{0,40}[ \t]{0,40}(?:\r?\n|(?=[{[]))/.source;
const opening = new RegExp(`^${start}`);
const fenced = new RegExp(`${start}([\\s\\S]*?)\\1`, 'g');
const ofLines = /^[ \t]{0,3}(?:```|~~~)/m;

/**
 * The text inside of the code fence that models often put around their response. Of a fence that was cut, one half may be
 * there, which is removed if the text has no other fence.
 */
export function stripFence(text: string): string {
  const whole = text.trim();
  const [head = '', fence] = opening.exec(whole) ?? [];
  const rest = whole.slice(head.length);
  const end = getClosingLength(rest, fence);
  if (head === '' && end === 0) return text;
  const inside = rest.slice(0, rest.length - end);
  const isHalf = head === '' || end === 0;
  if (isHalf && ofLines.test(inside)) return text;
  return inside.replace(/\r?\n$/, '');
}

/** Of the fence at the end: as long as the one at the start, or longer. */
function getClosingLength(text: string, fence: string | undefined): number {
  const mark = text.at(-1);
  if (mark !== (fence?.[0] ?? mark) || (mark !== '`' && mark !== '~')) return 0;
  let at = text.length;
  while (text[at - 1] === mark) at--;
  const length = text.length - at;
  return length >= (fence?.length ?? 3) ? length : 0;
}

/** What is in each fence of a text. */
export const findFencedParts = (text: string): string[] =>
  [...text.matchAll(fenced)].map(([, , inside = '']) => inside);

/** The objects of a kind in a tree of a library that has no list of them, without what is in them. @param skipped Not searched. */
export function* findParts<T extends object>(
  node: unknown,
  isPart: (node: object) => node is T,
  skipped: object,
  visited: Set<unknown> = new Set([skipped]),
): Generator<T, void> {
  if (typeof node !== 'object' || node === null || visited.has(node)) return;
  visited.add(node);
  if (isPart(node)) yield node;
  else for (const member of Object.values(node)) yield* findParts(member, isPart, skipped, visited);
}

/** The beginning of a stranger's text, in one line. Without characters that change what people see around it. */
export const plainStart = (text: string, charactersMax: number) =>
  text
    .slice(0, charactersMax * 4)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
    .slice(0, charactersMax)
    .toWellFormed();
