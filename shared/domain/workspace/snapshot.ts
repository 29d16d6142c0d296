import { missingPermission } from '../../core/errors/errors.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { foreignNames, type Reference } from './foreign-names.ts';
import { documentKinds, type KindName, kindsInOrder } from './kinds/index.ts';
import type { DocumentKind, ResourceMembers, StoredResource } from './kinds/kind.ts';
import type { DocumentRoom } from './kinds/read-all.ts';
import type { ReferenceTarget } from './kinds/references.ts';
import { accessTo, deletedName, isId, markedName, NameBook, refersById } from './names.ts';
import { uniqueNames } from './unique-names.ts';

/** Lists of a document by their kinds. */
export type Lists = Readonly<Partial<Record<KindName, readonly ResourceMembers[]>>>;

/** The resources of a tenant, and the names of all that they and a document refer to. */
export interface Snapshot {
  resources: ReadonlyMap<KindName, readonly StoredResource[]>;
  book: NameBook;
}

interface Wanted {
  permissions: readonly string[];
  kinds: readonly KindName[];
  sent?: Lists;
  /** Whether what the sent lists do not name will be deleted, so that nothing can refer to it. */
  prune?: boolean;
  /** How much is read at most, as JSON. */
  bytesMax: number;
}

export const workspaceReader = /* @__PURE__ */ using(
  [foreignNames, ...kindsInOrder.map((name) => documentKinds[name].read)],
  (scope: Scope) =>
    async ({ permissions, kinds: wanted, sent = {}, prune = false, bytesMax }: Wanted): Promise<Snapshot> => {
      const room = { bytes: bytesMax };
      const resources = await readKinds(scope, wanted, room);
      const book = new NameBook(scope.newId, permissions);
      const references = [...storedReferences(resources), ...sentReferences(sent, book)].filter(
        ({ target }) => book.shows(target),
      );
      const referred = new Set(references.map(({ target }) => (target === 'surfaces' ? 'products' : target)));
      const missing = kindsInOrder.filter((name) => referred.has(name) && !resources.has(name));
      const all = new Map([...resources, ...(await readKinds(scope, missing, room))]);
      for (const [name, list] of all) addNames(book, name, list, prune ? sent[name] : undefined);
      addSentNames(book, sent);
      await addForeignNames(scope, book, references);
      return { resources: all, book };
    },
);

async function addForeignNames(
  scope: Scope,
  book: NameBook,
  references: readonly Reference[],
): Promise<void> {
  const loaders = foreignNames(scope);
  const targets = [...new Set(references.map(({ target }) => target))];
  await Promise.all(
    targets.map(async (target) => {
      const own = references.filter((each) => each.target === target);
      const found = (await loaders[target]?.(own, book)) ?? [];
      const oldestFirst = [...new Map(found.map(([name, id]) => [id, name]))].toSorted();
      const names = uniqueNames(oldestFirst.map(([, name]) => name));
      for (const [index, [id]] of oldestFirst.entries()) book.add(target, names[index] as string, id);
    }),
  );
}

async function readKinds(scope: Scope, names: readonly KindName[], room: DocumentRoom) {
  const read = names.map(async (name) => [name, await documentKinds[name].read(scope)(room)] as const);
  return new Map(await Promise.all(read));
}

function storedReferences(resources: ReadonlyMap<KindName, readonly StoredResource[]>): Reference[] {
  const found: Reference[] = [];
  const collect = (kind: DocumentKind, list: readonly StoredResource[]): void => {
    for (const { content, parts = {} } of list) {
      kind.references(content, (target, value, _path, within) => {
        if (refersById(target, value)) found.push({ target, value, within });
        return value;
      });
      for (const [name, part] of Object.entries(kind.parts ?? {})) collect(part, parts[name] ?? []);
    }
  };
  for (const [name, list] of resources) collect(documentKinds[name], list);
  return found;
}

/** @throws 403 for a name of what the caller may not read, whether it exists or not */
function sentReferences(sent: Lists, book: NameBook): Reference[] {
  const found: Reference[] = [];
  const collect = (kind: DocumentKind, list: unknown): void => {
    for (const content of Array.isArray(list) ? (list as ResourceMembers[]) : []) {
      if (typeof content !== 'object' || content === null) continue;
      kind.references(content, (target, value, _path, within) => {
        const name = markedName(target, value);
        if (name !== undefined && name !== deletedName && !book.shows(target) && !isId(target, value))
          throw missingPermission([accessTo(target)].flat());
        if (name !== undefined) found.push({ target, value: name, within });
        return value;
      });
      for (const [name, part] of Object.entries(kind.parts ?? {})) collect(part, content[name]);
    }
  };
  for (const name of kindsInOrder) collect(documentKinds[name], sent[name]);
  return found;
}

function addNames(
  book: NameBook,
  kindName: KindName,
  list: readonly StoredResource[],
  staying: readonly ResourceMembers[] | undefined,
): void {
  const names = uniqueNames(list.map(({ content }) => documentKinds[kindName].nameOf(content)));
  const stays = staying && new Set(staying.map(({ name }) => String(name)));
  for (const [index, { id, parts = {} }] of list.entries()) {
    const name = names[index] as string;
    book.add(kindName, name, id);
    if (stays && !stays.has(name)) book.forget(kindName, name);
    for (const { id: capability, content } of parts.capabilities ?? [])
      book.add('capabilities', String(content.capabilityName), capability);
    const surfaces = parts.surfaces ?? [];
    const surfaceNames = uniqueNames(surfaces.map(({ content }) => String(content.name)));
    for (const [at, surface] of surfaces.entries())
      book.add('surfaces', `${name}/${surfaceNames[at]}`, surface.id);
  }
}

/** What the document will make gets ids that stand for it until then. */
function addSentNames(book: NameBook, sent: Lists): void {
  for (const kindName of kindsInOrder) {
    for (const { name, surfaces } of sent[kindName] ?? []) {
      addIfNew(book, kindName, String(name));
      for (const surface of kindName === 'products' && Array.isArray(surfaces) ? surfaces : [])
        addIfNew(book, 'surfaces', `${name}/${surface?.name}`);
    }
  }
}

const addIfNew = (book: NameBook, target: ReferenceTarget, name: string) =>
  book.idOf(target, name) ?? book.addPlaceholder(target, name);
