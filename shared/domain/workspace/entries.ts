import { isDeepStrictEqual } from 'node:util';
import type { Entry, Kind, Members, Resource } from './kinds/kind.ts';
import type { Change } from './kinds/references.ts';
import { uniqueNames } from './unique-names.ts';

/** A content without its name, and without what is the default. */
export function canonical(kind: Kind, content: Members): Members {
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
export function storedEntries(kind: Kind, resources: readonly Resource[], toName: Change): Entry[] {
  const contents = resources.map(({ content }) => kind.references(content, toName));
  const keys = uniqueNames(contents.map(kind.nameOf));
  return resources.map((resource, index) => ({
    key: keys[index] as string,
    content: canonical(kind, contents[index] as Members),
    parts: Object.fromEntries(
      Object.entries(kind.parts ?? {}).map(([name, part]) => [
        name,
        storedEntries(part, resource.parts?.[name] ?? [], toName),
      ]),
    ),
    path: [],
    resource,
  }));
}

/** As a document shows it. */
export const rendered = (kind: Kind, { key, content, parts }: Entry): Members => ({
  ...(kind.nameMember !== null && { [kind.nameMember]: key }),
  ...content,
  ...Object.fromEntries(
    Object.entries(kind.parts ?? {}).flatMap(([name, part]) => {
      const list = parts[name] ?? [];
      return list.length > 0 ? [[name, list.map((entry) => rendered(part, entry))]] : [];
    }),
  ),
});

/** For comparisons: parts by their names, because their order means nothing. */
export const comparable = ({ content, parts }: Entry): Members => ({
  ...content,
  ...Object.fromEntries(
    Object.entries(parts)
      .filter(([, list]) => list.length > 0)
      .map(([name, list]) => [name, Object.fromEntries(list.map((each) => [each.key, comparable(each)]))]),
  ),
});
