/** How deep JSON with templates in it may be nested. */
export const nestingMax = 30;

/** The texts inside a JSON value with their paths. What is nested too deeply is one empty text. */
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

/** About how many characters a value has as JSON. Looks no further than it takes to tell that there are more than `max`. */
export function characterCount(value: unknown, max: number): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 1;
  // The loop would list all indexes first.
  if (Array.isArray(value) && value.length > max) return value.length;
  let characters = 1;
  for (const name in value) {
    if (characters > max) break;
    const member = (value as Record<string, unknown>)[name];
    characters += (Array.isArray(value) ? 1 : name.length) + characterCount(member, max - characters);
  }
  return characters;
}
