/** The language of the texts, for numbers, plurals and times. */
export const language = 'en';

const rules = new Intl.PluralRules(language);
const whole = new Intl.NumberFormat(language);

/** As `5,000`. */
export const countText = (value: number) => whole.format(value);

/** Words for each form of number that a language has; `#` is the number. */
type Forms = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string };

/** `1 flow`, `2 flows`: plural(2, { one: '# flow', other: '# flows' }). */
export const plural = (value: number, forms: Forms) =>
  (forms[rules.select(value)] ?? forms.other).replace('#', countText(value));

/** `a, b, and c`, or with `disjunction` `a, b, or c`. */
export const listed = (items: readonly string[], type: 'conjunction' | 'disjunction' = 'conjunction') =>
  new Intl.ListFormat(language, { type }).format(items);
