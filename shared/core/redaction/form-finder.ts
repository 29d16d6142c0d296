/** One encoding of a secret value, and its replacement. */
export interface Form {
  text: string;
  mark: string;
}

/** The positions of values in a text. Overlapping values are one hit with the marks of all. */
export interface FormHit {
  start: number;
  end: number;
  marks: string[];
}
export type Finder = (text: string) => FormHit[];

/** The length of the shortest form. Forms are indexed by this many characters. */
export const formLengthMin = 6;

/** Finds all forms in one pass, in time linear to the text, independent of the number of forms. */
export function createFormFinder(forms: readonly Form[]): Finder {
  if (forms.length === 0) return () => [];
  const byStart = Map.groupBy(
    forms.toSorted((one, other) => other.text.length - one.text.length),
    ({ text }) => text.slice(0, formLengthMin),
  );
  // Rules out most positions quickly: a bitmap with 64 bits per start.
  const bits = 2 ** Math.min(21, 6 + Math.ceil(Math.log2(byStart.size + 1)));
  const begins = new Uint32Array(bits / 32);
  const last = bits - 1;
  for (const start of byStart.keys()) {
    const hash = hashAt(start, 0) & last;
    begins[hash >>> 5] = (begins[hash >>> 5] ?? 0) | (1 << (hash & 31));
  }
  return (text) => {
    const hits: FormHit[] = [];
    for (let at = 0; at + formLengthMin <= text.length; at++) {
      const hash = hashAt(text, at) & last;
      if (((begins[hash >>> 5] ?? 0) & (1 << (hash & 31))) === 0) continue;
      const form = byStart
        .get(text.slice(at, at + formLengthMin))
        ?.find((each) => text.startsWith(each.text, at));
      if (form) note(hits, form, at);
    }
    return hits;
  };
}

function note(hits: FormHit[], { text, mark }: Form, start: number): void {
  const end = start + text.length;
  const last = hits.at(-1);
  if (!last || last.end <= start) return void hits.push({ start, end, marks: [mark] });
  if (end <= last.end) return;
  last.end = end;
  if (last.marks.at(-1) !== mark) last.marks.push(mark);
}

const hashAt = (text: string, at: number) =>
  (text.charCodeAt(at) * 0x9e37) ^
  (text.charCodeAt(at + 1) * 0x79b9) ^
  (text.charCodeAt(at + 2) * 0x85eb) ^
  (text.charCodeAt(at + 3) * 0xc2b3);
