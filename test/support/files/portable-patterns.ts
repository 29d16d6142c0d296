import { type AST, RegExpParser, visitRegExpAST } from '@eslint-community/regexpp';

/** RE2, and so Go, repeats no more often. */
const repeatsMax = 1_000;
const escapes = /^(?:[\x20-\x5b\x5d-\x7e]|\\x[0-9A-Fa-f]{2}|\\[nrtfv]|\\[-^$\\.*+?()[\]{}|/])$/;
/** Python warns of these in a class: another meaning is reserved for them. */
const reserved = /\[\[|[^\\]\[|&&|\|\||~~|--/;

/**
 * Tells why JavaScript (with and without the flag `u`), Python's `re` and Go's `regexp` do not read a pattern alike.
 * Only what all of them take for the same passes: each other construct is named, whatever it is.
 */
export function whyNotPortable(source: string): string[] {
  const reasons = new Set<string>();
  const refuse = ({ raw }: AST.Node) => reasons.add(raw);
  const parser = new RegExpParser({ strict: true });
  try {
    parser.parsePattern(source, 0, source.length, { unicode: false });
    const pattern = parser.parsePattern(source, 0, source.length, { unicode: true });
    if (!isAnchored(pattern)) reasons.add('It may begin or end anywhere');
    visitRegExpAST(pattern, refusals(refuse));
  } catch (error) {
    reasons.add((error as Error).message);
  }
  return [...reasons];
}

const refusals = (refuse: (node: AST.Node) => void): Parameters<typeof visitRegExpAST>[1] => ({
  // `.` ends lines differently; `\d`, `\w` and `\s` are those of every script in Python; only JavaScript has `\p`.
  onCharacterSetEnter: refuse,
  onBackreferenceEnter: refuse,
  onAssertionEnter(assertion) {
    if (assertion.kind !== 'start' && assertion.kind !== 'end') refuse(assertion);
  },
  onCapturingGroupEnter(group) {
    if (group.name !== null) refuse(group);
  },
  onGroupEnter(group) {
    if (group.modifiers) refuse(group);
  },
  onQuantifierEnter(quantifier) {
    const { min, max, element } = quantifier;
    const isUnbounded = max === Number.POSITIVE_INFINITY;
    // Without `u`, one character beyond the first 65,536 counts as two.
    const countsHalves = element.type === 'CharacterClass' && element.negate && !(isUnbounded && min <= 1);
    if (countsHalves || min > repeatsMax || (!isUnbounded && max > repeatsMax)) refuse(quantifier);
  },
  onCharacterClassEnter(set) {
    if (set.elements.length === 0 || reserved.test(set.raw.slice(1))) refuse(set);
  },
  onCharacterEnter(character) {
    if (!escapes.test(character.raw)) refuse(character);
  },
});

function isAnchored({ alternatives }: AST.Pattern): boolean {
  const [first] = alternatives;
  const ends = [first?.elements.at(0), first?.elements.at(-1)];
  return alternatives.length === 1 && ends.every((element) => element?.type === 'Assertion');
}
