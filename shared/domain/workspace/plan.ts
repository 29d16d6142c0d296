import { createHash } from 'node:crypto';
import type { ErrorDetail } from '../../core/errors/errors.ts';
import { sortedJson } from '../../core/json/sorted-json.ts';
import { limitProblem } from '../tenant-limits.ts';
import { type Difference, differencesOf } from './differences.ts';
import { comparable, storedEntries } from './entries.ts';
import { type KindName, kinds, kindsInOrder } from './kinds/index.ts';
import type { Problem, WorkspaceKind } from './kinds/kind.ts';
import { type Action, actionOf, type Matching, nodesOf } from './nodes.ts';
import { type Reading, sentEntries } from './sent-entries.ts';
import type { Lists, Snapshot } from './snapshot.ts';
import type { Node, Writer } from './writer.ts';

export type Writers = Readonly<Record<KindName, Writer>>;

export interface Options {
  prune: boolean;
  publish: boolean;
}

export interface PlannedChange {
  kind: KindName;
  name: string;
  action: Action | 'publish';
  diff: Difference[];
  node: Node;
}

export interface Plan {
  changes: PlannedChange[];
  errors: ErrorDetail[];
  notes: string[];
  planHash: string;
}

/** What the document makes of the stored resources. Writes nothing. */
export function planOf(
  { resources, book }: Snapshot,
  writers: Writers,
  sent: Lists,
  { prune, publish }: Options,
): Plan {
  const problems: Problem[] = [];
  const reading: Reading = { book, problems };
  const matching: Matching = { prune, problems, notes: [] };
  const changes = kindsInOrder.flatMap((name): PlannedChange[] => {
    const list = sent[name];
    if (list === undefined) return [];
    const both = {
      stored: storedEntries(kinds[name], resources.get(name) ?? [], book.toName),
      sent: sentEntries(kinds[name], writers[name], list, reading, [name]),
    };
    return nodesOf(kinds[name], writers[name], both, matching, prune)
      .filter(({ before, after }) => before !== after)
      .map((node) => changeOf(name, node, publish));
  });
  return {
    changes,
    errors: [...errorsOf(problems, changes), ...limitErrors(resources, changes)],
    notes: matching.notes,
    planHash: hashOf(changes, prune),
  };
}

function changeOf(kind: KindName, node: Node, publish: boolean): PlannedChange {
  const { before, after, key: name } = node;
  const action = actionOf(node);
  const diff =
    action === 'none' ? [] : differencesOf(before ? comparable(before) : {}, after ? comparable(after) : {});
  const isPublished = publish && action === 'none' && before?.resource?.isUnpublished === true;
  return { kind, name, action: isPublished ? 'publish' : action, diff, node };
}

/** What is wrong with resources that stay as they are is no error. */
function errorsOf(problems: readonly Problem[], changes: readonly PlannedChange[]): ErrorDetail[] {
  const changing = new Set(
    changes.flatMap(({ action, node }) => (action === 'none' ? [] : [placeOf(node.after?.path ?? [])])),
  );
  return problems
    .filter(({ onlyIfChanging, at }) => !onlyIfChanging || changing.has(placeOf(at)))
    .map(({ at: _at, onlyIfChanging: _only, ...detail }) => detail);
}

/** An apply deletes last, so that what goes still counts. */
const limitErrors = (resources: Snapshot['resources'], changes: readonly PlannedChange[]): ErrorDetail[] =>
  kindsInOrder.flatMap((name) => {
    const { limited }: WorkspaceKind = kinds[name];
    const added = changes.filter(({ kind, action }) => kind === name && action === 'create').length;
    if (!limited || added === 0) return [];
    const problem = limitProblem(limited, (resources.get(name) ?? []).length + added);
    return problem ? [{ path: name, ...problem }] : [];
  });

/** The list of a resource and its index in there. */
const placeOf = (path: readonly PropertyKey[]) => path.slice(0, 2).join('.');

/** The same as long as an apply would do the same. Publishing is not part of it. */
const hashOf = (changes: readonly PlannedChange[], prune: boolean): string =>
  createHash('sha256')
    .update(
      sortedJson({
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
