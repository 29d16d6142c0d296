/**
 * Remembers what was made of the most recently used texts: a run uses the same few for every record. What is made of
 * a text may take a hundred times the room of the text, so long ones push out more.
 */
export function memoise<T>(
  make: (text: string) => T,
  { entriesMax = 500, charactersMax = 1_000_000 }: { entriesMax?: number; charactersMax?: number } = {},
): (text: string) => T {
  const made = new Map<string, T>();
  let characters = 0;
  const forget = (text: string) => {
    if (made.delete(text)) characters -= text.length;
  };
  return (text) => {
    const known = made.get(text);
    const result = known ?? make(text);
    forget(text);
    made.set(text, result);
    characters += text.length;
    for (const [oldest] of made) {
      if (made.size <= entriesMax && characters <= charactersMax) break;
      forget(oldest);
    }
    return result;
  };
}
