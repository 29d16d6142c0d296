import { uiTexts } from '../../texts/ui.ts';

/**
 * The value of a JSON text.
 * @throws SyntaxError if it is none, or has a whole number that would be stored as another one.
 */
export function parseExactly(text: string): unknown {
  // Older browsers do not pass the source: they round, as JSON.parse does.
  const check = (_name: string, value: unknown, context?: { source?: string }) => {
    const source = context?.source ?? '';
    if (typeof value === 'number' && /^-?\d+$/.test(source) && !Number.isSafeInteger(value))
      throw new SyntaxError(uiTexts.tooManyDigits(source));
    return value;
  };
  return JSON.parse(text, check);
}
