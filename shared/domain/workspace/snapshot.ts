/**
 * Reads the resources of a tenant that a document or an export is about, and a book of the names and ids of everything
 * that they refer to.
 * First the wanted kinds, then the kinds that they refer to, within a number of bytes; then names that documents do not
 * contain (API keys, records, versions …) by lookups of their own. Names that the caller may not read are refused,
 * whether they exist or not. What a document will create gets a placeholder id, so that references to it resolve.
 * Stored resources become canonical entries (no defaults, names instead of ids, unique names), which the planner
 * compares and the export renders: `functions/workspace/planner.ts`, `functions/workspace/get.ts`.
 */
import { isDeepStrictEqual } from 'node:util';
import { missingPermission } from '../../core/errors/errors.ts';
import { iterateTexts } from '../../core/json/json-texts.ts';
import { secretKeysInScript, secretKeysInTemplate } from '../../core/secret-references.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { covers } from '../../platform/identity/permissions.ts';
import { apiKeyStore } from '../api-keys/api-key-store.ts';
import { clientTokenStore } from '../client-tokens/client-token-store.ts';
import { flowEntity, versionsPartition } from '../flows/flow.ts';
import { mcpConnectionStore } from '../mcp-connections/connection-store.ts';
import { readModelAccount } from '../model-configs/model-account.ts';
import { recordStore } from '../records/record-store.ts';
import { findSecrets } from '../secrets/find-secrets.ts';
import { documentKinds, type KindName, kindsInOrder } from './kinds/index.ts';
import type { DocumentEntry, DocumentKind, ResourceMembers, StoredResource } from './kinds/kind.ts';
import type { DocumentRoom } from './kinds/read-all.ts';
import type { ReferenceTarget, ReplaceReference } from './kinds/references.ts';
import { deletedName, getAccess, isId, NameBook, readName, refersById } from './names.ts';

/** A reference as it stands in a stored resource (an id), or in a document (a name). */
interface Reference {
  target: ReferenceTarget;
  value: string;
  within?: string | undefined;
}

type Named = readonly [name: string, id: string];
type Load = (wanted: readonly Reference[], book: NameBook) => Promise<readonly Named[]>;

/** Finds the names and ids of what documents refer to and do not contain. */
const foreignNames = /* @__PURE__ */ using(
  ['table:read', apiKeyStore, clientTokenStore, mcpConnectionStore, recordStore],
  (scope: Scope): Partial<Record<ReferenceTarget, Load>> => ({
    apiKeys: async () => (await apiKeyStore(scope).list()).map(({ name, id }) => [name, id]),

    clientTokens: async () => (await clientTokenStore(scope).list()).map(({ name, id }) => [name, id]),

    async mcpConnections() {
      const named: Named[] = [];
      const store = mcpConnectionStore(scope);
      for (let cursor: string | undefined; ; ) {
        const { connections, pagination } = await store.list({ limit: 100, cursor });
        named.push(...connections.map(({ name, id }) => [name, id] as const));
        if (pagination.nextCursor === null) return named;
        cursor = pagination.nextCursor;
      }
    },

    providerKeys: async () =>
      (await readModelAccount(scope.table)).keys.map(({ provider, name, id }) => [`${provider}/${name}`, id]),

    async records(wanted) {
      const records = recordStore(scope);
      const ids = wanted.map(({ value }) => value).filter((value) => value.startsWith('record_'));
      const found = await records.getMany(ids);
      const named = found.map(({ type, name, id }) => [`${type}/${name}`, id] as const);
      const others = wanted.map(({ value }) => value).filter((value) => !ids.includes(value));
      const byName = await Promise.all(
        others.map(async (value) => {
          const [type = '', ...name] = value.split('/');
          return [value, await records.findId({ type, name: name.join('/') })] as const;
        }),
      );
      return [...named, ...byName.flatMap(([name, id]) => (id ? [[name, id] as const] : []))];
    },

    async flowVersions(wanted, book) {
      const flowIds = new Set(
        wanted.flatMap(({ within = '' }) => book.getId('flows', within) ?? (isFlowId(within) ? within : [])),
      );
      const lists = [...flowIds].map(async (flowId) => {
        const entries = await scope.table.queryAll({ partition: versionsPartition(flowId), index: 1 });
        return entries.flatMap(({ SK1, summary }): Named[] => {
          const { number, type } = (summary ?? {}) as { number?: number; type?: string };
          return type === 'published' ? [[`${flowId}#${number}`, String(SK1)]] : [];
        });
      });
      return (await Promise.all(lists)).flat();
    },
  }),
);

const isFlowId = (text: string) => text.startsWith(`${flowEntity.type}_`);

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
      const references = [...listStoredReferences(resources), ...listSentReferences(sent, book)].filter(
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
      const wanted = references.filter((each) => each.target === target);
      const found = (await loaders[target]?.(wanted, book)) ?? [];
      const oldestFirst = [...new Map(found.map(([name, id]) => [id, name]))].toSorted();
      const names = makeUnique(oldestFirst.map(([, name]) => name));
      for (const [index, [id]] of oldestFirst.entries()) book.add(target, names[index] as string, id);
    }),
  );
}

async function readKinds(scope: Scope, names: readonly KindName[], room: DocumentRoom) {
  const read = names.map(async (name) => [name, await documentKinds[name].read(scope)(room)] as const);
  return new Map(await Promise.all(read));
}

function listStoredReferences(resources: ReadonlyMap<KindName, readonly StoredResource[]>): Reference[] {
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
function listSentReferences(sent: Lists, book: NameBook): Reference[] {
  const found: Reference[] = [];
  const collect = (kind: DocumentKind, list: unknown): void => {
    for (const content of Array.isArray(list) ? (list as ResourceMembers[]) : []) {
      if (typeof content !== 'object' || content === null) continue;
      kind.references(content, (target, value, _path, within) => {
        const name = readName(target, value);
        if (name !== undefined && name !== deletedName && !book.shows(target) && !isId(target, value))
          throw missingPermission([getAccess(target)].flat());
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
  const names = makeUnique(list.map(({ content }) => documentKinds[kindName].getName(content)));
  const stays = staying && new Set(staying.map(({ name }) => String(name)));
  for (const [index, { id, parts = {} }] of list.entries()) {
    const name = names[index] as string;
    book.add(kindName, name, id);
    if (stays && !stays.has(name)) book.forget(kindName, name);
    for (const { id: capability, content } of parts.capabilities ?? [])
      book.add('capabilities', String(content.capabilityName), capability);
    const surfaces = parts.surfaces ?? [];
    const surfaceNames = makeUnique(surfaces.map(({ content }) => String(content.name)));
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
  book.getId(target, name) ?? book.addPlaceholder(target, name);

/** Secrets that a document references, and that have no value. */
export const secretNotes = /* @__PURE__ */ using(
  ['table:read'],
  ({ table }: Scope) =>
    async (sent: Lists, permissions: readonly string[]): Promise<string[]> => {
      const keys = [...new Set([...iterateTexts(sent, [], levelsMax)].flatMap(listKeys))];
      if (keys.length === 0) return [];
      if (!covers(permissions, 'SECRETS:READ'))
        return keys.map(
          (key) => `The document uses the secret ${key}. Whether it has a value here, SECRETS:READ shows`,
        );
      const found = await findSecrets(table, keys);
      return keys
        .filter((key) => found.get(key)?.status !== 'active')
        .map((key) => `The secret ${key} has no value here. Store it with POST /v1/secrets`);
    },
);

const levelsMax = 100;

const listKeys = ({ text, path }: { text: string; path: readonly PropertyKey[] }) =>
  ['script', 'code'].includes(String(path.at(-1))) ? secretKeysInScript(text) : secretKeysInTemplate(text);

/** Names that differ: of those that occur twice, the second is `name (2)`. @param names Oldest first. */
export function makeUnique(names: readonly string[]): string[] {
  const originals = new Set(names);
  const used = new Set<string>();
  const lastNumber = new Map<string, number>();
  return names.map((name) => {
    let unique = name;
    let number = lastNumber.get(name) ?? 2;
    for (; used.has(unique) || (unique !== name && originals.has(unique)); number++) {
      unique = `${name} (${number})`;
    }
    lastNumber.set(name, number);
    used.add(unique);
    return unique;
  });
}

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
