import { isDeepStrictEqual } from 'node:util';
import type { DocumentEntry, DocumentKind, ResourceMembers, StoredResource } from './kinds/kind.ts';
import type { ReplaceReference } from './kinds/references.ts';
import { makeUnique } from './unique-names.ts';

/** A content without its name, and without what is the default. */
export function canonicalise(kind: DocumentKind, content: ResourceMembers): ResourceMembers {
  const tidied = kind.tidy?.(content) ?? content;
  return Object.fromEntries(
    Object.entries(tidied).filter(
      ([name, value]) =>
        value !== undefined &&
        name !== kind.nameMember &&
        !(Object.hasOwn(kind.defaults, name) && isDeepStrictEqual(value, kind.defaults[name])),
    ),
  );
}

/** @param toName Replaces ids. */
export function toStoredEntries(
  kind: DocumentKind,
  resources: readonly StoredResource[],
  toName: ReplaceReference,
): DocumentEntry[] {
  const contents = resources.map(({ content }) => kind.references(content, toName));
  const keys = makeUnique(contents.map(kind.getName));
  return resources.map((resource, index) => ({
    key: keys[index] as string,
    content: canonicalise(kind, contents[index] as ResourceMembers),
    parts: Object.fromEntries(
      Object.entries(kind.parts ?? {}).map(([name, part]) => [
        name,
        toStoredEntries(part, resource.parts?.[name] ?? [], toName),
      ]),
    ),
    path: [],
    resource,
  }));
}

/** As a document shows it. */
export const renderEntry = (kind: DocumentKind, { key, content, parts }: DocumentEntry): ResourceMembers => ({
  ...(kind.nameMember !== null && { [kind.nameMember]: key }),
  ...content,
  ...Object.fromEntries(
    Object.entries(kind.parts ?? {}).flatMap(([name, part]) => {
      const list = parts[name] ?? [];
      return list.length > 0 ? [[name, list.map((entry) => renderEntry(part, entry))]] : [];
    }),
  ),
});

/** For comparisons: parts by their names, because their order means nothing. */
export const toComparable = ({ content, parts }: DocumentEntry): ResourceMembers => ({
  ...content,
  ...Object.fromEntries(
    Object.entries(parts)
      .filter(([, list]) => list.length > 0)
      .map(([name, list]) => [name, Object.fromEntries(list.map((each) => [each.key, toComparable(each)]))]),
  ),
});
