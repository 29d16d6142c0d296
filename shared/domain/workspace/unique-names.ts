/** Names that differ: of those that occur twice, the second is `name (2)`. @param names Oldest first. */
export function makeUnique(names: readonly string[]): string[] {
  const originals = new Set(names);
  const used = new Set<string>();
  const lastNumber = new Map<string, number>();
  return names.map((name) => {
    let unique = name;
    let number = lastNumber.get(name) ?? 2;
    for (; used.has(unique) || (unique !== name && originals.has(unique)); number++) {
      unique = `${name} (${number})`;
    }
    lastNumber.set(name, number);
    used.add(unique);
    return unique;
  });
}
