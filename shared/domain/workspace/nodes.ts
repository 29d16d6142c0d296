import { isDeepStrictEqual } from 'node:util';
import { detailAt } from '../../core/errors/errors.ts';
import { comparable } from './entries.ts';
import type { DocumentEntry, DocumentKind, DocumentProblem } from './kinds/kind.ts';
import type { PlanNode, ResourceWriter } from './writer.ts';

export interface Matching {
  prune: boolean;
  problems: DocumentProblem[];
  notes: string[];
}

/** What a list of a document makes of the stored one: entries match by their names. */
export function matchNodes(
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
    ...sent.map((entry) => nodeOf(kind, writer, byKey.get(entry.key), entry, matching)),
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

function nodeOf(
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
  const own = { ...sent.content, ...Object.fromEntries(kept.map((name) => [name, before?.content[name]])) };
  const fitted = sent.isRefused ? undefined : kind.fitted?.(own, before?.content);
  const { content, notes: more } = fitted ?? { content: own, notes: [] };
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
  if (before && writer.update) problems.push(...fixedProblems(kind, writer, before, after));
  if (isReadable(after)) problems.push(...(kind.problems?.(after) ?? []));
  return node;
}

/** Whether its endpoints take the content of it and of all its parts. */
const isReadable = ({ isRefused, parts }: DocumentEntry): boolean =>
  !isRefused && Object.values(parts).flat().every(isReadable);

function fixedProblems(
  kind: DocumentKind,
  { createOnly = [] }: ResourceWriter,
  before: DocumentEntry,
  after: DocumentEntry,
): DocumentProblem[] {
  return createOnly
    .filter((name) => !isDeepStrictEqual(before.content[name], after.content[name]))
    .map((name) => {
      const message = `This member of a ${kind.noun} does not change. Give the ${kind.noun} another name, which makes another one`;
      return { ...detailAt([...after.path, name], 'INVALID_VALUE', message), at: after.path };
    });
}

export type NodeAction = 'create' | 'update' | 'delete' | 'none';

export function nodeAction({ before, after }: PlanNode): NodeAction {
  if (!after) return 'delete';
  if (!before) return 'create';
  return isDeepStrictEqual(comparable(before), comparable(after)) ? 'none' : 'update';
}
