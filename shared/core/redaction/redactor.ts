import { decoded } from './decoded.ts';
import { createFormFinder, type Finder, type Form, type FormHit } from './form-finder.ts';
import { secretForms } from './secret-forms.ts';

/** Replaces secret values in the output of a run with the names of the secrets. */
export interface Redactor {
  text: (text: string) => string;
  /** Redacts any JSON value, including member names and numbers. */
  json: <T>(value: T) => T;
  /** Redacts a streamed text. A value may span several pieces. */
  stream: () => { push: (piece: string) => string; end: () => string };
}

/** @param values The secrets' keys and values, which may be blank. */
export function createRedactor(values: Iterable<readonly [key: string, value: string]>): Redactor {
  const forms = [...values].flatMap(([key, value]) =>
    [...new Set([value, value.trim()].flatMap(secretForms))].map(
      (text): Form => ({ text, mark: key ? `[secret:${key}]` : '[secret]' }),
    ),
  );
  const finder = createFormFinder(forms);
  function text(given: string): string {
    const left = marked(given, finder.find(given));
    const marks = marksOfUnknownForms(finder, left);
    return marks === undefined ? left : (cleanJson(left, text) ?? marks);
  }
  return {
    text,
    json: (value) => (forms.length > 0 ? (redacted(value, text) as typeof value) : value),
    stream: () => redactedStream(finder),
  };
}

/** Replaces hits with marks. Marks are not scanned again. */
function marked(text: string, hits: readonly FormHit[]): string {
  let out = '';
  let from = 0;
  for (const { start, end, marks } of hits) {
    out += text.slice(from, start) + marks.join('');
    from = end;
  }
  return from === 0 ? text : out + text.slice(from);
}

/** Limits decoding, whose time grows with the text: only short texts mix encodings. */
const decodedMax = 200_000;

/** Redacts a value that no form matches, for example a partly escaped one. */
function marksOfUnknownForms({ find }: Finder, text: string): string | undefined {
  if (text.length > decodedMax) return undefined;
  const plain = decoded(text);
  const hits = plain === text ? [] : find(plain);
  return hits.length === 0 ? undefined : [...new Set(hits.flatMap(({ marks }) => marks))].join('');
}

/** Redacts only the texts with the value; `undefined` if the text is not JSON and is redacted as a whole. */
function cleanJson(text: string, clean: Redactor['text']): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? JSON.stringify(redacted(value, clean)) : undefined;
  } catch {
    return undefined;
  }
}

function redacted(value: unknown, text: Redactor['text']): unknown {
  if (typeof value === 'string') return text(value);
  if (typeof value === 'number') return text(String(value)) === String(value) ? value : text(String(value));
  if (Array.isArray(value)) return value.map((item) => redacted(item, text));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [text(name), redacted(item, text)]));
}

function redactedStream(finder: Finder): ReturnType<Redactor['stream']> {
  const scan = finder.scan();
  /** Begins at this position of the whole text. */
  let held = '';
  let from = 0;
  function take(hits: readonly FormHit[], upTo: number): string {
    const here = hits.map(({ start, end, marks }) => ({ start: start - from, end: end - from, marks }));
    const taken = marked(held.slice(0, upTo - from), here);
    held = held.slice(upTo - from);
    from = upTo;
    return taken;
  }
  return {
    push(piece) {
      scan.push(piece);
      held += piece;
      const { hits, upTo } = scan.settled();
      return take(hits, upTo);
    },
    end: () => take(scan.end(), from + held.length),
  };
}
