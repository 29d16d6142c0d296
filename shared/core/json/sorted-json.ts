/** The same text for objects with the same members in any order. */
export const toSortedJson = (value: unknown): string =>
  JSON.stringify(value, (_name, member) =>
    typeof member === 'object' && member !== null && !Array.isArray(member) ? sortMembers(member) : member,
  );

function sortMembers(value: object): object {
  const names = Object.keys(value);
  const inOrder = names.toSorted();
  if (names.every((name, index) => name === inOrder[index])) return value;
  return Object.fromEntries(inOrder.map((name) => [name, (value as Record<string, unknown>)[name]]));
}
