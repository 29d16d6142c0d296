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
