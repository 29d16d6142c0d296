/** The same text for objects with the same members in any order. */
export const sortedJson = (value: unknown): string =>
  JSON.stringify(value, (_name, member) =>
    typeof member === 'object' && member !== null && !Array.isArray(member) ? sorted(member) : member,
  );

function sorted(value: object): object {
  const names = Object.keys(value);
  const inOrder = names.toSorted();
  if (names.every((name, index) => name === inOrder[index])) return value;
  return Object.fromEntries(inOrder.map((name) => [name, (value as Record<string, unknown>)[name]]));
}
