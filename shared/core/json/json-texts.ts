export const nestingMax = 30;

/** Yields the texts in a JSON value with their paths. A value that is nested too deeply yields one empty text. */
export function* textsIn(
  value: unknown,
  path: PropertyKey[] = [],
  depthMax = nestingMax,
): Generator<{ text: string; path: PropertyKey[]; depth: number }> {
  const depth = path.length;
  if (depth > depthMax) yield { text: '', path: [], depth };
  else if (typeof value === 'string') yield { text: value, path, depth };
  else if (Array.isArray(value))
    for (const [index, item] of value.entries()) yield* textsIn(item, [...path, index], depthMax);
  else if (typeof value === 'object' && value !== null)
    for (const [key, item] of Object.entries(value)) yield* textsIn(item, [...path, key], depthMax);
}

/** The approximate length of a value as JSON. Stops counting above `max`. */
export function characterCount(value: unknown, max: number): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 1;
  // The loop would enumerate all indexes first.
  if (Array.isArray(value) && value.length > max) return value.length;
  let characters = 1;
  for (const name in value) {
    if (characters > max) break;
    const member = (value as Record<string, unknown>)[name];
    characters += (Array.isArray(value) ? 1 : name.length) + characterCount(member, max - characters);
  }
  return characters;
}
