import { formTexts } from '../../texts/forms.ts';
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

/** A value as somebody edits it. */
export const editableJson = (value: unknown): string =>
  value === undefined ? '' : JSON.stringify(value, undefined, 2);

/** What a text stands for. One that is no JSON stands for itself: the API refuses it where it needs something else. */
export function valueIn(text: string): { value: unknown; problem?: string } {
  if (text.trim() === '') return { value: undefined };
  try {
    return { value: parseExactly(text) };
  } catch (error) {
    return { value: text, problem: formTexts.notJsonSoText((error as Error).message) };
  }
}

/** A text, and the value that the form has for it: a form may leave out what is empty. */
export interface Typed {
  text: string;
  /** Absent until the form has taken the text. */
  taken?: { value: unknown };
}

/** The text for a value of the form: the typed one, unless something else, as an undo, has changed the value. */
export function follow(typed: Typed, value: unknown): Typed {
  if (!typed.taken) return { text: typed.text, taken: { value } };
  if (Object.is(typed.taken.value, value)) return typed;
  const isSame = JSON.stringify(typed.taken.value) === JSON.stringify(value);
  return { text: isSame ? typed.text : editableJson(value), taken: { value } };
}
