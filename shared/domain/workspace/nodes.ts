import { isDeepStrictEqual } from 'node:util';
import { detailAt } from '../../core/errors/errors.ts';
import { comparable } from './entries.ts';
import type { Entry, Kind, Problem } from './kinds/kind.ts';
import type { Node, Writer } from './writer.ts';

export interface Matching {
  prune: boolean;
  problems: Problem[];
  notes: string[];
}

/** What a list of a document makes of the stored one: entries match by their names. */
export function nodesOf(
  kind: Kind,
  writer: Writer,
  { stored, sent }: { stored: readonly Entry[]; sent: readonly Entry[] },
  matching: Matching,
  removesOthers: boolean,
): Node[] {
  const byKey = new Map(stored.map((entry) => [entry.key, entry]));
  const named = new Set(sent.map(({ key }) => key));
  const others = stored.filter(({ key }) => !named.has(key));
  return [
    ...sent.map((entry) => nodeOf(kind, writer, byKey.get(entry.key), entry, matching)),
    ...others.map(
      (before): Node => ({
        key: before.key,
        before,
        ...(!removesOthers && { after: before }),
        parts: {},
      }),
    ),
  ];
}

function nodeOf(
  kind: Kind,
  writer: Writer,
  before: Entry | undefined,
  sent: Entry,
  matching: Matching,
): Node {
  const { prune, problems, notes } = matching;
  const kept = (kind.kept ?? []).filter(
    (name) => sent.content[name] === undefined && before?.content[name] !== undefined,
  );
  const own = { ...sent.content, ...Object.fromEntries(kept.map((name) => [name, before?.content[name]])) };
  const { content, notes: more } = kind.fitted?.(own, before?.content) ?? { content: own, notes: [] };
  notes.push(...more.map((note) => `${kind.noun} "${sent.key}": ${note}`));
  const parts = Object.fromEntries(
    Object.entries(kind.parts ?? {}).flatMap(([name, part]) => {
      const list = sent.parts[name];
      if (list === undefined) return [];
      const both = { stored: before?.parts[name] ?? [], sent: list };
      return [
        [name, nodesOf(part, writer.parts?.[name] as Writer, both, matching, prune || !part.onlyPruned)],
      ];
    }),
  );
  const partsAfter = Object.entries(parts).map(
    ([name, nodes]) => [name, nodes.flatMap(({ after }) => after ?? [])] as const,
  );
  const after: Entry = { ...sent, content, parts: { ...before?.parts, ...Object.fromEntries(partsAfter) } };
  const node = { key: sent.key, ...(before && { before }), after, parts };
  if (before && writer.update) problems.push(...fixedProblems(kind, writer, before, after));
  problems.push(...(kind.problems?.(after) ?? []));
  return node;
}

function fixedProblems(kind: Kind, { createOnly = [] }: Writer, before: Entry, after: Entry): Problem[] {
  return createOnly
    .filter((name) => !isDeepStrictEqual(before.content[name], after.content[name]))
    .map((name) => {
      const message = `This member of a ${kind.noun} does not change. Give the ${kind.noun} another name, which makes another one`;
      return { ...detailAt([...after.path, name], 'INVALID_VALUE', message), at: after.path };
    });
}

export type Action = 'create' | 'update' | 'delete' | 'none';

export function actionOf({ before, after }: Node): Action {
  if (!after) return 'delete';
  if (!before) return 'create';
  return isDeepStrictEqual(comparable(before), comparable(after)) ? 'none' : 'update';
}
