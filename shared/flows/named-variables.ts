import type { Variables } from './step.ts';

/** The variables whose names stand in some texts, wherever in them. */
export function namedIn(texts: readonly string[], variables: Readonly<Variables>): Set<string> {
  return new Set(Object.keys(variables).filter((name) => texts.some((text) => text.includes(name))));
}
