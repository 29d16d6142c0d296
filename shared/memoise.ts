/** Remembers what was made of the most recently used texts: a run uses the same few for every record. */
export function memoise<T>(make: (text: string) => T, entriesMax = 500): (text: string) => T {
  const made = new Map<string, T>();
  return (text) => {
    const known = made.get(text);
    const result = known ?? make(text);
    if (known !== undefined) made.delete(text);
    else if (made.size >= entriesMax) made.delete(made.keys().next().value as string);
    made.set(text, result);
    return result;
  };
}
