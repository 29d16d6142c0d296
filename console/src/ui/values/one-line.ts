import { uiTexts } from '../../texts/ui.ts';

const shownMax = 80;

/** The beginning of a value, in one line. */
export function inOneLine(value: unknown): string {
  const text = typeof value === 'string' ? value.slice(0, 4 * shownMax) : beginningOf(value);
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > shownMax ? `${line.slice(0, shownMax - 1)}…` : line;
}

function beginningOf(value: unknown): string {
  if (Array.isArray(value)) return uiTexts.items(value.length);
  if (typeof value === 'object' && value !== null) return `{ ${Object.keys(value).slice(0, 8).join(', ')} }`;
  return String(value);
}
