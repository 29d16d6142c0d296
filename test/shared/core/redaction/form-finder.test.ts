import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFormFinder, type Form, type FormHit } from '../../../../shared/core/redaction/form-finder.ts';

/** Compares every form at every position. */
function naiveHits(forms: readonly Form[], text: string): FormHit[] {
  const hits: FormHit[] = [];
  for (let start = 0; start < text.length; start++) {
    const here = forms.filter((form) => text.startsWith(form.text, start));
    const [longest] = here.toSorted((one, other) => other.text.length - one.text.length);
    if (!longest) continue;
    const end = start + longest.text.length;
    const last = hits.at(-1);
    if (!last || last.end <= start) hits.push({ start, end, marks: [longest.mark] });
    else if (end > last.end) {
      last.end = end;
      if (last.marks.at(-1) !== longest.mark) last.marks.push(longest.mark);
    }
  }
  return hits;
}

const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'é'), minLength: 6, maxLength: 14 });
const someForms = fc
  .uniqueArray(letters, { minLength: 1, maxLength: 12 })
  .map((texts) => texts.map((text, n): Form => ({ text, mark: `[${n}]` })));
/** Texts of few letters, with whole forms and parts of forms in them. */
const formsAndText = someForms.chain((forms) =>
  fc.tuple(
    fc.constant(forms),
    fc
      .array(
        fc.oneof(fc.constantFrom(...forms.map(({ text }) => text)), letters, fc.constantFrom('a', 'b', '-')),
      )
      .map((pieces) => pieces.join('')),
  ),
);

test('all forms are found, with the marks of those that overlap, as by comparing each at each position', () => {
  fc.assert(
    fc.property(formsAndText, ([forms, text]) => {
      expect(createFormFinder(forms).find(text)).toEqual(naiveHits(forms, text));
    }),
    { numRuns: 1_000 },
  );
});

test('a text in pieces has the same hits as a whole one, each told when no more text can change it', () => {
  fc.assert(
    fc.property(formsAndText, fc.integer({ min: 1, max: 9 }), ([forms, text], size) => {
      const scan = createFormFinder(forms).scan();
      const hits: FormHit[] = [];
      for (let at = 0; at < text.length; at += size) {
        scan.push(text.slice(at, at + size));
        const settled = scan.takeSettled();
        for (const hit of settled.hits) expect(hit.end).toBeLessThanOrEqual(settled.upTo);
        hits.push(...settled.hits);
      }
      expect([...hits, ...scan.end()]).toEqual(naiveHits(forms, text));
    }),
  );
});

const some = (count: number, text: (n: number) => string): Form[] =>
  Array.from({ length: count }, (_, n) => ({ text: text(n), mark: `[${n}]` }));
const texts: [what: string, forms: Form[], text: string][] = [
  ['a long run of one letter', some(1, () => 'a'.repeat(9_000)), 'a'.repeat(200_000)],
  ['many forms that begin alike', some(400, (n) => `${'a'.repeat(9_000 - n)}b`), 'a'.repeat(200_000)],
  ['forms that end alike', some(400, (n) => `b${'a'.repeat(500 - n)}`), `b${'a'.repeat(499)}`.repeat(400)],
  ['a short period', some(50, (n) => 'abaab'.repeat(20 + n)), 'abaab'.repeat(40_000)],
];

test.each(texts)('the work grows with the text alone: %s', (_what, forms, text) => {
  const finder = createFormFinder(forms);
  finder.find(text);
  expect(finder.steps()).toBeGreaterThanOrEqual(text.length);
  // Each character is one step forward, and each step back takes away one that went forward.
  expect(finder.steps()).toBeLessThanOrEqual(2 * text.length);
  const scan = finder.scan();
  for (let at = 0; at < text.length; at += 1_000) {
    scan.push(text.slice(at, at + 1_000));
    scan.takeSettled();
  }
  scan.end();
  expect(finder.steps()).toBeLessThanOrEqual(4 * text.length);
});

test('a long form is found by its beginning, and hides as many characters as it has', () => {
  const long = Array.from({ length: 1_000 }, (_, n) => `${n}`.padStart(3, 'x')).join('');
  const { find } = createFormFinder([{ text: long, mark: '[long]' }]);
  expect(find(`-${long}-`)).toEqual([{ start: 1, end: 3_001, marks: ['[long]'] }]);
  expect(find(`-${long.slice(0, 600)}`)).toEqual([{ start: 1, end: 601, marks: ['[long]'] }]);
  expect(find(`-${long.slice(0, 500)}`)).toEqual([]);
  expect(find(`-${long.slice(1)}`)).toEqual([]);
});
