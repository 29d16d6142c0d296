/**
 * Carries out a plan, in the order of references: first what a resource refers to, then the resource, and deletions last.
 *
 * Resources that refer to each other in a circle are made without their references first, and changed later. Each write is the
 * operation of an endpoint, with its checks and permissions. An error or the end of the time stops in between; what is applied
 * stays, and applying the same document again does the rest. Another apply is kept out by the lease of `apply-lease.ts`.
 */

import { hasCode, invalid, toDetail } from '../../core/errors/errors.ts';
import { documentKinds, type KindName, kindsInOrder } from './kinds/index.ts';
import type { DocumentEntry, DocumentKind } from './kinds/kind.ts';
import type { ReplaceReference } from './kinds/references.ts';
import { getTargetNoun, type NameBook, readName } from './names.ts';
import { filterSaved, type PlannedChange, type Writers } from './plan.ts';
import { type CallEndpoint, createNodeWriter, type MadeSecret } from './write-node.ts';
import type { PlanNode } from './writer.ts';

export interface Applying {
  writers: Writers;
  book: NameBook;
  call: CallEndpoint;
  timeLeftMs: () => number;
  publish: boolean;
}

/** A secret that the service made for a resource, which is shown once. */
export type AppliedSecret = MadeSecret & Pick<PlannedChange, 'kind' | 'name'>;

/** Writes what a plan says, in the order of references. Sent again after a failure, it does what remains. @returns the secrets that it made */
export async function applyChanges(
  changes: readonly PlannedChange[],
  { writers, book, call, timeLeftMs, publish }: Applying,
): Promise<AppliedSecret[]> {
  const secrets: AppliedSecret[] = [];
  const ids = new Map<PlanNode, string>();
  let writing: PlannedChange | undefined;
  const nodes = createNodeWriter({
    call,
    timeLeftMs,
    onWritten: (node, id) => ids.set(node, id),
    onSecret: (secret) => writing && secrets.push({ kind: writing.kind, name: writing.name, ...secret }),
  });
  const toId = book.toId((target, name, path) => {
    throw invalid([toDetail(path, 'NOT_FOUND', `There is no ${getTargetNoun(target)} "${name}"`)]);
  });
  const waiting = new Map(
    changes.flatMap((change) => (change.action === 'create' ? [[toPlaceName(change), change] as const] : [])),
  );
  const begun = new Set<PlannedChange>();
  const skeletons = new Map<PlannedChange, DocumentEntry>();

  const exists = (change: PlannedChange, id: string): void => {
    waiting.delete(toPlaceName(change));
    book.add(change.kind, change.name, id);
    for (const surface of change.node.parts.surfaces ?? []) {
      const surfaceId = ids.get(surface);
      if (surfaceId !== undefined) book.add('surfaces', `${change.name}/${surface.key}`, surfaceId);
    }
  };

  /** First writes what it refers to. In a circle, that is made without its references, and changed later. */
  async function write(change: PlannedChange): Promise<void> {
    if (begun.has(change)) return;
    begun.add(change);
    try {
      await writeAfterNeeded(change);
    } catch (error) {
      begun.delete(change);
      throw error;
    }
  }

  async function writeAfterNeeded(change: PlannedChange): Promise<void> {
    const { kind, node } = change;
    for (const place of listPlaces(documentKinds[kind], node)) {
      const needed = waiting.get(place);
      if (!needed || needed === change) continue;
      if (!begun.has(needed)) await write(needed);
      else if (writers[needed.kind].skeleton) await writeSkeleton(needed);
      else {
        // That cannot be made without its references, so this one goes first, and follows again in its turn.
        await writeSkeleton(change);
        begun.delete(change);
        return;
      }
    }
    const before = skeletons.get(change);
    const current = before ? { ...node, before } : node;
    writing = change;
    exists(
      change,
      await nodes.write(documentKinds[kind], writers[kind], current, { params: {}, toId, at: [] }),
    );
  }

  async function writeSkeleton(change: PlannedChange): Promise<void> {
    const { create, skeleton } = writers[change.kind];
    if (!skeleton || !waiting.has(toPlaceName(change))) return;
    const made = await nodes.run(create, { body: skeleton(change.name) }, change.node);
    const resource = { id: String(made?.id), content: {} };
    skeletons.set(change, { key: change.name, content: {}, parts: {}, path: [], resource });
    exists(change, resource.id);
  }

  /** Of two flows, one may run the other only when that one does not run it any more. */
  async function writeAll(list: readonly PlannedChange[]): Promise<void> {
    const refused: { change: PlannedChange; error: unknown }[] = [];
    for (const change of list) {
      await write(change).catch((error) => {
        if (change.kind !== 'flows' || !hasCode(error, 'VALIDATION')) throw error;
        refused.push({ change, error });
      });
    }
    if (refused.length > 0 && refused.length === list.length) throw refused[0]?.error;
    if (refused.length > 0) await writeAll(refused.map(({ change }) => change));
  }

  for (const { kind, action, node } of changes) {
    if (action === 'update') await nodes.removeReplaced(writers[kind], node);
  }
  for (const kind of kindsInOrder) await writeAll(filterSaved(changes, kind));
  for (const { kind, name, action, node } of publish ? changes : []) {
    const { param, publish: endpoint } = writers[kind];
    if (!endpoint || action === 'none' || action === 'delete') continue;
    await nodes.run(endpoint, { params: { [param]: book.getId(kind, name) } }, node);
  }
  for (const kind of kindsInOrder.toReversed()) {
    const deleted = changes.filter((change) => change.kind === kind && change.action === 'delete');
    for (const { node } of deleted) await nodes.remove(writers[kind], node, {});
  }
  return secrets;
}

const toPlaceName = ({ kind, name }: { kind: KindName; name: string }) => `${kind} ${name}`;

/** The places of all that a resource and its parts refer to. */
function listPlaces(kind: DocumentKind, { after, parts }: PlanNode): string[] {
  const found: string[] = [];
  const collect: ReplaceReference = (target, value) => {
    const name = readName(target, value);
    // A surface belongs to its product.
    found.push(target === 'surfaces' ? `products ${name?.split('/')[0]}` : `${target} ${name}`);
    return value;
  };
  kind.references(after?.content ?? {}, collect);
  const ofParts = Object.entries(kind.parts ?? {}).flatMap(([name, part]) =>
    (parts[name] ?? []).flatMap((node) => listPlaces(part, node)),
  );
  return [...found, ...ofParts];
}
