export const nestingMax = 30;

interface TextIn {
  text: string;
  path: PropertyKey[];
  depth: number;
}

/** Yields the texts in a JSON value with their paths. A value that is nested too deeply yields one empty text. */
export function* walkTexts(
  value: unknown,
  path: PropertyKey[] = [],
  depthMax = nestingMax,
): Generator<TextIn> {
  const depth = path.length;
  if (depth > depthMax) yield { text: '', path: [], depth };
  else if (typeof value === 'string') yield { text: value, path, depth };
  else if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++)
      yield* textsOfMember(value[index], index, path, depthMax);
  } else if (typeof value === 'object' && value !== null) {
    for (const key of Object.keys(value))
      yield* textsOfMember((value as Record<string, unknown>)[key], key, path, depthMax);
  }
}

/** Without a generator and a path for each value: a body has up to 100,000. */
function textsOfMember(
  member: unknown,
  key: PropertyKey,
  path: PropertyKey[],
  depthMax: number,
): Iterable<TextIn> {
  const mayHaveTexts = typeof member === 'string' || (typeof member === 'object' && member !== null);
  if (path.length < depthMax && !mayHaveTexts) return none;
  const inside = [...path, key];
  if (path.length < depthMax && typeof member === 'string')
    return [{ text: member, path: inside, depth: inside.length }];
  return walkTexts(member, inside, depthMax);
}

const none: readonly TextIn[] = [];

/** The approximate length of a value as JSON. Stops counting above `max`. */
export function countCharacters(value: unknown, max: number): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 1;
  // The loop would enumerate all indexes first.
  if (Array.isArray(value) && value.length > max) return value.length;
  let characters = 1;
  for (const name in value) {
    if (characters > max) break;
    const member = (value as Record<string, unknown>)[name];
    characters += (Array.isArray(value) ? 1 : name.length) + countCharacters(member, max - characters);
  }
  return characters;
}
