import { formsOf } from './secret-forms.ts';

/** Takes the values of secrets out of what leaves a run, and puts the names of the secrets in their place. */
export interface Redactor {
  text: (text: string) => string;
  /** A text that may have been cut off in the middle of a value. */
  cut: (text: string) => string;
  /** Any JSON; also the names of its members, and numbers. */
  json: <T>(value: T) => T;
  /** For a text that comes in pieces: a value may lie across them. */
  stream: () => { push: (piece: string) => string; end: () => string };
}

interface Form {
  text: string;
  mark: string;
}

/** @param values Of secrets, with their keys, which may be blank. */
export function redactorOf(values: Iterable<readonly [key: string, value: string]>): Redactor {
  const forms = [...values]
    .flatMap(([key, value]) =>
      [...new Set([value, value.trim()].flatMap(formsOf))].map(
        (text): Form => ({ text, mark: key ? `[secret:${key}]` : '[secret]' }),
      ),
    )
    // A value may be part of another one.
    .sort((one, other) => other.text.length - one.text.length);

  const text = (given: string) =>
    forms.reduce(
      (left, form) => (left.includes(form.text) ? left.replaceAll(form.text, form.mark) : left),
      given,
    );
  return {
    text,
    cut: (given) => withoutOpenEnd(forms, text(given)),
    json: (value) => (forms.length > 0 ? (redacted(value, text) as typeof value) : value),
    stream: () => redactedStream(forms),
  };
}

function redacted(value: unknown, text: Redactor['text']): unknown {
  if (typeof value === 'string') return text(value);
  if (typeof value === 'number') return text(String(value)) === String(value) ? value : text(String(value));
  if (Array.isArray(value)) return value.map((item) => redacted(item, text));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [text(name), redacted(item, text)]));
}

function redactedStream(forms: readonly Form[]): ReturnType<Redactor['stream']> {
  let held = '';
  /** What can be let go: all up to where a value may have begun that is not there to its end. */
  function take(open: number): string {
    let taken = '';
    for (;;) {
      const next = first(forms, held, open);
      if (!next) break;
      taken += held.slice(0, next.at) + next.form.mark;
      open -= next.at + next.form.text.length;
      held = held.slice(next.at + next.form.text.length);
    }
    const rest = Math.max(0, Math.min(open, held.length));
    taken += held.slice(0, rest);
    held = held.slice(rest);
    return taken;
  }
  return {
    push(piece) {
      held += piece;
      return take(openEnd(forms, held));
    },
    end: () => take(held.length + 1),
  };
}

/** So few characters of a value tell nothing. */
const openEndMin = 4;

function withoutOpenEnd(forms: readonly Form[], text: string): string {
  const open = openEnd(forms, text);
  return text.length - open < openEndMin ? text : `${text.slice(0, open)}[secret]`;
}

/** The first value in a text that begins before a place, and the longest of those that begin there. */
function first(forms: readonly Form[], text: string, before: number) {
  let found: { at: number; form: Form } | undefined;
  for (const form of forms) {
    const at = text.indexOf(form.text);
    if (at >= 0 && at < before && (!found || at < found.at)) found = { at, form };
  }
  return found;
}

/** Where the last characters begin that may be the beginning of a value. */
function openEnd(forms: readonly Form[], text: string): number {
  let open = text.length;
  for (const form of forms) {
    for (let length = Math.min(form.text.length - 1, text.length); length > text.length - open; length--) {
      if (text.endsWith(form.text.slice(0, length))) open = text.length - length;
    }
  }
  return open;
}
