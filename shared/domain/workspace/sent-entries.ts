import type * as z from 'zod';
import { eventLoopYielder } from '../../core/concurrency/event-loop.ts';
import { detailAt, type ErrorDetail } from '../../core/errors/errors.ts';
import { toErrorDetails } from '../../platform/http/validation.ts';
import { canonical } from './entries.ts';
import type { DocumentEntry, DocumentKind, DocumentProblem, ResourceMembers } from './kinds/kind.ts';
import { resourcesMax } from './kinds/read-all.ts';
import type { ReferenceTarget } from './kinds/references.ts';
import { deletedName, type NameBook, targetNoun } from './names.ts';
import { uniqueNames } from './unique-names.ts';
import type { ResourceWriter } from './writer.ts';

export interface Reading {
  book: NameBook;
  problems: DocumentProblem[];
}

/** Reads a list of a document: checks each body as its endpoint does, and makes it canonical. */
export async function sentEntries(
  kind: DocumentKind,
  writer: ResourceWriter,
  list: readonly ResourceMembers[],
  reading: Reading,
  path: readonly PropertyKey[],
): Promise<DocumentEntry[]> {
  const turn = eventLoopYielder();
  const entries: DocumentEntry[] = [];
  for (const [index, sent] of list.entries()) {
    await turn();
    entries.push(await sentEntry(kind, writer, sent, reading, [...path, index]));
  }
  if (kind.nameMember === null) {
    const keys = uniqueNames(entries.map(({ key }) => key));
    return entries.map((entry, index) => ({ ...entry, key: keys[index] as string }));
  }
  const seen = new Set<string>();
  for (const { key, path: at } of entries) {
    const message = `Another ${kind.noun} of the list has this name. A second one of a name is "${key} (2)"`;
    if (seen.has(key)) refuse(reading, [...at, kind.nameMember], 'NAME_TAKEN', message);
    seen.add(key);
  }
  return entries;
}

async function sentEntry(
  kind: DocumentKind,
  writer: ResourceWriter,
  sent: ResourceMembers,
  reading: Reading,
  path: readonly PropertyKey[],
): Promise<DocumentEntry> {
  const partNames = Object.keys(kind.parts ?? {});
  const own = Object.fromEntries(Object.entries(sent).filter(([name]) => !partNames.includes(name)));
  const withIds = kind.references(own, reading.book.toId(unknownIn(reading)), path);
  const parsed = checked(kind, writer, withIds, reading, path);
  for (const at of (parsed && kind.plaintexts?.(parsed)) ?? [])
    refuse(reading, [...path, ...at], 'SECRET_NOT_ALLOWED', noPlaintext);
  const content = parsed ? canonical(kind, kind.references(parsed, reading.book.toName)) : own;
  const parts: Record<string, DocumentEntry[]> = {};
  for (const [name, part] of Object.entries(kind.parts ?? {})) {
    if (sent[name] === undefined) continue;
    const at = [...path, name];
    const list = membersIn(sent[name], at, reading);
    parts[name] = await sentEntries(part, writer.parts?.[name] as ResourceWriter, list, reading, at);
  }
  const key = kind.nameMember === null ? kind.nameOf(content) : String(sent[kind.nameMember]);
  return { key, content, parts, path, ...(!parsed && { isRefused: true }) };
}

/** The content as the bodies of its endpoints parse it. @returns undefined if they refuse it */
function checked(
  kind: DocumentKind,
  { create, update, updateOnly = [] }: ResourceWriter,
  content: ResourceMembers,
  { problems }: Reading,
  path: readonly PropertyKey[],
): ResourceMembers | undefined {
  const isLater = ([name]: [string, unknown]) => updateOnly.includes(name);
  const all = Object.entries(content);
  const named = create.body as z.ZodType<ResourceMembers>;
  const isDerived = kind.isNameDerived === true;
  const first = all.filter((entry) => !isLater(entry) && !(isDerived && entry[0] === kind.nameMember));
  const results = [
    named.safeParse(Object.fromEntries(first), { reportInput: true }),
    ...(update?.body && all.some(isLater)
      ? [(update.body as z.ZodType<ResourceMembers>).safeParse(Object.fromEntries(all.filter(isLater)))]
      : []),
  ];
  const failed = results.flatMap(({ error }) => toErrorDetails(error?.issues ?? [], [...path]));
  problems.push(...failed.map((detail) => ({ ...detail, at: path })));
  if (failed.length > 0) return undefined;
  return Object.assign({}, ...results.map(({ data }) => data));
}

function membersIn(value: unknown, path: readonly PropertyKey[], reading: Reading): ResourceMembers[] {
  if (!Array.isArray(value)) {
    refuse(reading, path, 'INVALID_TYPE', 'Expected a list');
    return [];
  }
  if (value.length > resourcesMax) {
    refuse(reading, path, 'TOO_BIG', `A list of a document has at most ${resourcesMax} entries`);
    return [];
  }
  return value.flatMap((each, index) => {
    if (typeof each === 'object' && each !== null && !Array.isArray(each)) return [each as ResourceMembers];
    refuse(reading, [...path, index], 'INVALID_TYPE', 'Expected an object');
    return [];
  });
}

/** What a document refers to and nothing has. Capabilities are checked with their product. */
const unknownIn =
  ({ book, problems }: Reading) =>
  (target: ReferenceTarget, name: string, path: readonly PropertyKey[]): string => {
    const isOfDeleted = name === deletedName;
    const message = isOfDeleted
      ? `The ${targetNoun(target)} was deleted. Name another one`
      : unknownText(target, name);
    if (target !== 'capabilities') {
      problems.push({
        ...detailAt(path, 'NOT_FOUND', message),
        at: path,
        onlyIfChanging: isOfDeleted,
      });
    }
    return book.addPlaceholder(target, name);
  };

const unknownText = (target: ReferenceTarget, name: string) =>
  target === 'flowVersions'
    ? `The flow has no published version ${name} here. Publish it first, or leave out "version" to run the published one`
    : `There is no ${targetNoun(target)} "${name}", and the document has none. A document refers by names, not by ids`;

const refuse = (
  { problems }: Reading,
  path: readonly PropertyKey[],
  code: ErrorDetail['code'],
  message: string,
): void => void problems.push({ ...detailAt(path, code, message), at: path });

const noPlaintext =
  'A document holds no values of secrets. Store the value with POST /v1/secrets, and write {{secret:KEY}}';
