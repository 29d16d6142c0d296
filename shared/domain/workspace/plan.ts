import { createHash } from 'node:crypto';
import { eventLoopYielder } from '../../core/concurrency/event-loop.ts';
import type { ErrorDetail } from '../../core/errors/errors.ts';
import { sortedJson } from '../../core/json/sorted-json.ts';
import { limitProblem } from '../tenant-limits.ts';
import { type Difference, listDifferences } from './differences.ts';
import { comparable, storedEntries } from './entries.ts';
import { documentKinds, type KindName, kindsInOrder } from './kinds/index.ts';
import type { DocumentProblem, WorkspaceKind } from './kinds/kind.ts';
import { type Matching, matchNodes, type NodeAction, nodeAction } from './nodes.ts';
import { type Reading, sentEntries } from './sent-entries.ts';
import type { Lists, Snapshot } from './snapshot.ts';
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
export const savedChanges = (changes: readonly PlannedChange[], of: KindName): PlannedChange[] =>
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
    const stored = storedEntries(kind, resources.get(name) ?? [], book.toName);
    await turn();
    const both = { stored, sent: await sentEntries(kind, writers[name], list, reading, [name]) };
    const nodes = matchNodes(kind, writers[name], both, matching, prune);
    for (const node of nodes.filter(({ before, after }) => before !== after)) {
      await turn();
      changes.push(changeOf(name, node, publish));
    }
  }
  return {
    changes,
    errors: [...errorsOf(problems, changes), ...limitErrors(resources, changes)],
    notes: matching.notes,
    planHash: hashOf(changes, prune),
  };
}

function changeOf(kind: KindName, node: PlanNode, publish: boolean): PlannedChange {
  const { before, after, key: name } = node;
  const action = nodeAction(node);
  const diff =
    action === 'none'
      ? []
      : listDifferences(before ? comparable(before) : {}, after ? comparable(after) : {});
  const isPublished = publish && action === 'none' && before?.resource?.isUnpublished === true;
  return { kind, name, action: isPublished ? 'publish' : action, diff, node };
}

/** What is wrong with resources that stay as they are is no error. */
function errorsOf(problems: readonly DocumentProblem[], changes: readonly PlannedChange[]): ErrorDetail[] {
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
    const { limited }: WorkspaceKind = documentKinds[name];
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
