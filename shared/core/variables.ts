/** The variables of a run, by name. */
export type Variables = Record<string, unknown>;

/**
 * Returns a function that tells whether some texts contain the words of a name, and so may use the name. Scans each
 * text once.
 */
export function createNameTest(texts: readonly string[]): (name: string) => boolean {
  const words = new Set(texts.flatMap(listWords));
  return (name) => listWords(name).every((word) => words.has(word));
}

const listWords = (text: string): string[] => text.match(/[\p{ID_Continue}$]+/gu) ?? [];
