/** Names that differ: of those that occur twice, the second is `name (2)`. @param names Oldest first. */
export function uniqueNames(names: readonly string[]): string[] {
  const given = new Set(names);
  const used = new Set<string>();
  return names.map((name) => {
    let unique = name;
    for (let number = 2; used.has(unique) || (unique !== name && given.has(unique)); number++) {
      unique = `${name} (${number})`;
    }
    used.add(unique);
    return unique;
  });
}
