/**
 * Plans what a document changes in a workspace: which resources are created, updated or deleted, with their
 * differences. Writes nothing.
 * For each kind in the order of references: read the stored resources as entries, read the document's list and check
 * each body as its endpoint would, match both by name, part by part, and list the differences. Problems are collected,
 * not thrown; those of resources that stay as they are do not count.
 * `planHash` is the same as long as an apply would do the same, so an apply can require the plan that somebody has
 * reviewed.
 * `snapshot.ts` reads what is stored, `checks/` adds what depends on other resources; `functions/workspace/planner.ts`
 * puts them together, `apply.ts` carries the plan out.
 */
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { eventLoopYielder } from '../../core/concurrency/event-loop.ts';
import { type ErrorDetail, toDetail } from '../../core/errors/errors.ts';
import { toSortedJson } from '../../core/json/sorted-json.ts';
import { toErrorDetails } from '../../platform/http/validation.ts';
import { findLimitProblem } from '../tenant-limits.ts';
import { documentKinds, type KindName, kindsInOrder } from './kinds/index.ts';
import type {
  DocumentEntry,
  DocumentKind,
  DocumentProblem,
  ResourceMembers,
  WorkspaceKind,
} from './kinds/kind.ts';
import { resourcesMax } from './kinds/read-all.ts';
import type { ReferenceTarget } from './kinds/references.ts';
import { deletedName, getTargetNoun, type NameBook } from './names.ts';
import {
  canonicalise,
  type Lists,
  makeUnique,
  type Snapshot,
  toComparable,
  toStoredEntries,
} from './snapshot.ts';
import type { PlanNode, ResourceWriter } from './writer.ts';

export type Writers = Readonly<Record<KindName, ResourceWriter>>;

export interface PlanOptions {
  prune: boolean;
  publish: boolean;
}

export interface PlannedChange {
  kind: KindName;
  name: string;
  action: NodeAction | 'publish';
  diff: Difference[];
  node: PlanNode;
}

/** Those of a kind that are created or updated. */
export const filterSaved = (changes: readonly PlannedChange[], of: KindName): PlannedChange[] =>
  changes.filter(({ kind, action }) => kind === of && (action === 'create' || action === 'update'));

export interface WorkspacePlan {
  changes: PlannedChange[];
  errors: ErrorDetail[];
  notes: string[];
  planHash: string;
}

/** What the document makes of the stored resources. Writes nothing. */
export async function planChanges(
  { resources, book }: Snapshot,
  writers: Writers,
  sent: Lists,
  { prune, publish }: PlanOptions,
): Promise<WorkspacePlan> {
  const problems: DocumentProblem[] = [];
  const reading: Reading = { book, problems };
  const matching: Matching = { prune, problems, notes: [] };
  const turn = eventLoopYielder();
  const changes: PlannedChange[] = [];
  for (const name of kindsInOrder) {
    const list = sent[name];
    if (list === undefined) continue;
    const kind = documentKinds[name];
    const stored = toStoredEntries(kind, resources.get(name) ?? [], book.toName);
    await turn();
    const both = { stored, sent: await readEntries(kind, writers[name], list, reading, [name]) };
    const nodes = matchNodes(kind, writers[name], both, matching, prune);
    for (const node of nodes.filter(({ before, after }) => before !== after)) {
      await turn();
      changes.push(toChange(name, node, publish));
    }
  }
  return {
    changes,
    errors: [...filterErrors(problems, changes), ...listLimitErrors(resources, changes)],
    notes: matching.notes,
    // D41
    planHash: hashPlan(changes, prune),
  };
}

function toChange(kind: KindName, node: PlanNode, publish: boolean): PlannedChange {
  const { before, after, key: name } = node;
  const action = getNodeAction(node);
  const diff =
    action === 'none'
      ? []
      : listDifferences(before ? toComparable(before) : {}, after ? toComparable(after) : {});
  const isPublished = publish && action === 'none' && before?.resource?.isUnpublished === true;
  return { kind, name, action: isPublished ? 'publish' : action, diff, node };
}

/** What is wrong with resources that stay as they are is no error. */
function filterErrors(
  problems: readonly DocumentProblem[],
  changes: readonly PlannedChange[],
): ErrorDetail[] {
  const changing = new Set(
    changes.flatMap(({ action, node }) => (action === 'none' ? [] : [toPlace(node.after?.path ?? [])])),
  );
  return problems
    .filter(({ onlyIfChanging, at }) => !onlyIfChanging || changing.has(toPlace(at)))
    .map(({ at: _at, onlyIfChanging: _only, ...detail }) => detail);
}

/** An apply deletes last, so that what goes still counts. */
const listLimitErrors = (
  resources: Snapshot['resources'],
  changes: readonly PlannedChange[],
): ErrorDetail[] =>
  kindsInOrder.flatMap((name) => {
    const { limited }: WorkspaceKind = documentKinds[name];
    const added = changes.filter(({ kind, action }) => kind === name && action === 'create').length;
    if (!limited || added === 0) return [];
    const problem = findLimitProblem(limited, (resources.get(name) ?? []).length + added);
    return problem ? [{ path: name, ...problem }] : [];
  });

/** The list of a resource and its index in there. */
const toPlace = (path: readonly PropertyKey[]) => path.slice(0, 2).join('.');

/** The same as long as an apply would do the same. Publishing is not part of it. */
const hashPlan = (changes: readonly PlannedChange[], prune: boolean): string =>
  createHash('sha256')
    .update(
      toSortedJson({
        prune,
        changes: changes.map(({ kind, name, action, diff }) => ({
          kind,
          name,
          action: action === 'publish' ? 'none' : action,
          diff,
        })),
      }),
    )
    .digest('hex');

interface Matching {
  prune: boolean;
  problems: DocumentProblem[];
  notes: string[];
}

/** What a list of a document makes of the stored one: entries match by their names. */
function matchNodes(
  kind: DocumentKind,
  writer: ResourceWriter,
  { stored, sent }: { stored: readonly DocumentEntry[]; sent: readonly DocumentEntry[] },
  matching: Matching,
  removesOthers: boolean,
): PlanNode[] {
  const byKey = new Map(stored.map((entry) => [entry.key, entry]));
  const named = new Set(sent.map(({ key }) => key));
  const others = stored.filter(({ key }) => !named.has(key));
  return [
    ...sent.map((entry) => planNode(kind, writer, byKey.get(entry.key), entry, matching)),
    ...others.map(
      (before): PlanNode => ({
        key: before.key,
        before,
        ...(!removesOthers && { after: before }),
        parts: {},
      }),
    ),
  ];
}

function planNode(
  kind: DocumentKind,
  writer: ResourceWriter,
  before: DocumentEntry | undefined,
  sent: DocumentEntry,
  matching: Matching,
): PlanNode {
  const { prune, problems, notes } = matching;
  const kept = (kind.kept ?? []).filter(
    (name) => sent.content[name] === undefined && before?.content[name] !== undefined,
  );
  const merged = {
    ...sent.content,
    ...Object.fromEntries(kept.map((name) => [name, before?.content[name]])),
  };
  const fitted = sent.isRefused ? undefined : kind.fit?.(merged, before?.content);
  const { content, notes: more } = fitted ?? { content: merged, notes: [] };
  notes.push(...more.map((note) => `${kind.noun} "${sent.key}": ${note}`));
  const parts = Object.fromEntries(
    Object.entries(kind.parts ?? {}).flatMap(([name, part]) => {
      const list = sent.parts[name];
      if (list === undefined) return [];
      const both = { stored: before?.parts[name] ?? [], sent: list };
      return [
        [
          name,
          matchNodes(part, writer.parts?.[name] as ResourceWriter, both, matching, prune || !part.onlyPruned),
        ],
      ];
    }),
  );
  const partsAfter = Object.entries(parts).map(
    ([name, nodes]) => [name, nodes.flatMap(({ after }) => after ?? [])] as const,
  );
  const after: DocumentEntry = {
    ...sent,
    content,
    parts: { ...before?.parts, ...Object.fromEntries(partsAfter) },
  };
  const node = { key: sent.key, ...(before && { before }), after, parts };
  if (before && writer.update) problems.push(...findFixedProblems(kind, writer, before, after));
  if (isReadable(after)) problems.push(...(kind.problems?.(after) ?? []));
  return node;
}

/** Whether its endpoints take the content of it and of all its parts. */
const isReadable = ({ isRefused, parts }: DocumentEntry): boolean =>
  !isRefused && Object.values(parts).flat().every(isReadable);

function findFixedProblems(
  kind: DocumentKind,
  { createOnly = [] }: ResourceWriter,
  before: DocumentEntry,
  after: DocumentEntry,
): DocumentProblem[] {
  return createOnly
    .filter((name) => !isDeepStrictEqual(before.content[name], after.content[name]))
    .map((name) => {
      const message = `This member of a ${kind.noun} does not change. Give the ${kind.noun} another name, which makes another one`;
      return { ...toDetail([...after.path, name], 'INVALID_VALUE', message), at: after.path };
    });
}

type NodeAction = 'create' | 'update' | 'delete' | 'none';

function getNodeAction({ before, after }: PlanNode): NodeAction {
  if (!after) return 'delete';
  if (!before) return 'create';
  return isDeepStrictEqual(toComparable(before), toComparable(after)) ? 'none' : 'update';
}

interface Reading {
  book: NameBook;
  problems: DocumentProblem[];
}

/** Reads a list of a document: checks each body as its endpoint does, and makes it canonical. */
async function readEntries(
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
    entries.push(await readEntry(kind, writer, sent, reading, [...path, index]));
  }
  if (kind.nameMember === null) {
    const keys = makeUnique(entries.map(({ key }) => key));
    return entries.map((entry, index) => ({ ...entry, key: keys[index] as string }));
  }
  const names = new Set<string>();
  for (const { key, path: at } of entries) {
    const message = `Another ${kind.noun} of the list has this name. A second one of a name is "${key} (2)"`;
    if (names.has(key)) refuse(reading, [...at, kind.nameMember], 'NAME_TAKEN', message);
    names.add(key);
  }
  return entries;
}

async function readEntry(
  kind: DocumentKind,
  writer: ResourceWriter,
  sent: ResourceMembers,
  reading: Reading,
  path: readonly PropertyKey[],
): Promise<DocumentEntry> {
  const partNames = Object.keys(kind.parts ?? {});
  const members = Object.fromEntries(Object.entries(sent).filter(([name]) => !partNames.includes(name)));
  const withIds = kind.references(members, reading.book.toId(reportUnknown(reading)), path);
  const parsed = parseContent(kind, writer, withIds, reading, path);
  for (const at of (parsed && kind.plaintexts?.(parsed)) ?? [])
    refuse(reading, [...path, ...at], 'SECRET_NOT_ALLOWED', noPlaintext);
  const content = parsed ? canonicalise(kind, kind.references(parsed, reading.book.toName)) : members;
  const parts: Record<string, DocumentEntry[]> = {};
  for (const [name, part] of Object.entries(kind.parts ?? {})) {
    if (sent[name] === undefined) continue;
    const at = [...path, name];
    const list = readMembers(sent[name], at, reading);
    parts[name] = await readEntries(part, writer.parts?.[name] as ResourceWriter, list, reading, at);
  }
  const key = kind.nameMember === null ? kind.getName(content) : String(sent[kind.nameMember]);
  return { key, content, parts, path, ...(!parsed && { isRefused: true }) };
}

/** The content as the bodies of its endpoints parse it. @returns undefined if they refuse it */
function parseContent(
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

function readMembers(value: unknown, path: readonly PropertyKey[], reading: Reading): ResourceMembers[] {
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
const reportUnknown =
  ({ book, problems }: Reading) =>
  (target: ReferenceTarget, name: string, path: readonly PropertyKey[]): string => {
    const isOfDeleted = name === deletedName;
    const message = isOfDeleted
      ? `The ${getTargetNoun(target)} was deleted. Name another one`
      : describeUnknown(target, name);
    if (target !== 'capabilities') {
      problems.push({
        ...toDetail(path, 'NOT_FOUND', message),
        at: path,
        onlyIfChanging: isOfDeleted,
      });
    }
    return book.addPlaceholder(target, name);
  };

const describeUnknown = (target: ReferenceTarget, name: string) =>
  target === 'flowVersions'
    ? `The flow has no published version ${name} here. Publish it first, or leave out "version" to run the published one`
    : `There is no ${getTargetNoun(target)} "${name}", and the document has none. A document refers by names, not by ids`;

const refuse = (
  { problems }: Reading,
  path: readonly PropertyKey[],
  code: ErrorDetail['code'],
  message: string,
): void => void problems.push({ ...toDetail(path, code, message), at: path });

const noPlaintext =
  'A document holds no values of secrets. Store the value with POST /v1/secrets, and write {{secret:KEY}}';

export const Difference = z
  .object({
    path: z.string().meta({ description: 'Within the resource' }),
    before: z.unknown(),
    after: z.unknown(),
  })
  .meta({ id: 'WorkspaceDifference' });
export type Difference = z.infer<typeof Difference>;

/** What differs, as deep as objects and lists are on both sides. A missing value is null. */
function listDifferences(before: unknown, after: unknown, path: readonly string[] = []): Difference[] {
  if (isDeepStrictEqual(before, after)) return [];
  const [old, next] = [toMembers(before), toMembers(after)];
  if (!old || !next || Array.isArray(before) !== Array.isArray(after))
    return [{ path: path.join('.'), before: before ?? null, after: after ?? null }];
  const names = [...new Set([...old.keys(), ...next.keys()])];
  return names.flatMap((name) => listDifferences(old.get(name), next.get(name), [...path, name]));
}

const toMembers = (value: unknown): Map<string, unknown> | undefined =>
  typeof value === 'object' && value !== null ? new Map(Object.entries(value)) : undefined;
