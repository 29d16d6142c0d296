/** Whether the JSON of a value may have a member that `isForbiddenMember` finds, so that looking for one is worth it. */
export const mayHaveForbiddenMember = (json: string): boolean => /__proto__|"prototype"|\\u00/i.test(json);

/** Names that programs take for a part of the object itself. No record, body or variable has them. */
export const isForbiddenMember = (name: string, member: unknown): boolean =>
  name === '__proto__' ||
  (name === 'constructor' &&
    typeof member === 'object' &&
    member !== null &&
    Object.hasOwn(member, 'prototype'));

/** @returns such a name in a value that was parsed from JSON, at any depth */
export function findForbiddenMember(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    if (isForbiddenMember(name, member)) return name;
    const inner = findForbiddenMember(member);
    if (inner !== undefined) return inner;
  }
  return undefined;
}
