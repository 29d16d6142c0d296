/** The objects of a kind in a tree of a library that has no list of them, without what is in them. @param skipped Not searched. */
export function* findParts<T extends object>(
  node: unknown,
  isPart: (node: object) => node is T,
  skipped: object,
  visited: Set<unknown> = new Set([skipped]),
): Generator<T, void> {
  if (typeof node !== 'object' || node === null || visited.has(node)) return;
  visited.add(node);
  if (isPart(node)) yield node;
  else for (const member of Object.values(node)) yield* findParts(member, isPart, skipped, visited);
}
