/** Tells of a name whether its words stand in some texts, and with it perhaps the name. Asks each text but once. */
export function namesIn(texts: readonly string[]): (name: string) => boolean {
  const words = new Set(texts.flatMap(wordsOf));
  return (name) => wordsOf(name).every((word) => words.has(word));
}

const wordsOf = (text: string): string[] => text.match(/[\p{ID_Continue}$]+/gu) ?? [];
