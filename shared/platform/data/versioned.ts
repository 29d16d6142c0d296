import * as z from 'zod';
import type { DetailCode } from '../../core/error-codes.ts';
import { invalidAt, notFound } from '../../core/errors.ts';
import type { IdPrefix } from '../../core/ids.ts';
import type { AnyEntity } from './entity.ts';
import type { Partition } from './keys.ts';
import type { Scope } from './scope.ts';
import type { Write } from './writes.ts';

/** What a document whose content has versions holds beside the content, which is that of its draft, if it has one. */
export const versionedFields = {
  id: z.string(),
  /** The unpublished version that the document's content makes up. */
  draft: z.object({ id: z.string(), number: z.int(), createdAt: z.string() }).nullable(),
  publishedVersionId: z.string().nullable(),
  /** The number that the last version got. */
  lastVersionNumber: z.int(),
  /** Counts the changes, so that two writers cannot overwrite each other unseen. */
  revision: z.int(),
  updatedAt: z.string(),
};
const Versioned = z.object(versionedFields);
export type Versioned = z.infer<typeof Versioned>;

/** What a version holds beside its content. It no longer changes; a draft has no item of its own. */
export const versionFields = {
  id: z.string(),
  number: z.int(),
  /** Test and virtual versions are snapshots of content that was run without being published. */
  type: z.enum(['published', 'draft', 'test', 'virtual']),
  label: z.string().nullable(),
  notes: z.string().nullable(),
  createdAt: z.string(),
  /** When it is to be forgotten, in Unix seconds: of a document that is stored nowhere. */
  ttl: z.int().optional(),
};
const Version = z.object(versionFields);
export type Version = z.infer<typeof Version>;

/** One kind of versioned document: how its versions are stored, and what they take from it. */
export interface VersionKind<D extends Versioned, V extends Version, Summary> {
  /** What the document is called in errors, in lower case. */
  noun: string;
  /** The code of the error where a version of another document is asked for. */
  codeOfForeign: DetailCode;
  idPrefix: IdPrefix;
  /** Of a version, listed by its id in both indexes. */
  entity: AnyEntity;
  keyOf: (documentId: string, id: string) => object;
  /** The partition of index 1 that lists the versions of a document. */
  versionsOf: (documentId: string) => Partition;
  /** The partition of index 2 that finds a version, or a document by its draft, by the version's id alone. */
  allVersions: Partition;
  /** What lists show of a version. */
  summary: z.ZodType<Summary>;
  contentOf: (document: D) => Omit<V, keyof Version>;
  /** What the document notes of the content that is published. */
  publishedFields: (version: V) => Partial<D>;
}

/** The documents whose content has versions. */
export interface Documents<D> {
  /** @throws 404 */
  find: (id: string) => Promise<D>;
  /** Applies a change to the document as it is now, with other writes in the same transaction. */
  change: (id: string, decide: (before: D) => Promise<{ after: D; beside?: Write[] }>) => Promise<D>;
}

/** The version fields of a new document: it has nothing but a draft. */
export const firstDraft = (draft: { id: string; createdAt: string }) => ({
  draft: { ...draft, number: 1 },
  publishedVersionId: null,
  lastVersionNumber: 1,
  revision: 1,
});

/** The fields that change when new content is saved to the draft, which is made where there is none. */
export function savedDraft({ draft, lastVersionNumber }: Versioned, made: { id: string; createdAt: string }) {
  const number = lastVersionNumber + (draft ? 0 : 1);
  return { draft: draft ?? { ...made, number }, lastVersionNumber: number };
}

/** Versions of documents: a draft that changes, and published and test ones that never do. */
export function versioned<D extends Versioned, V extends Version, Summary extends { number: number }>(
  { table, now }: Pick<Scope, 'table' | 'now'>,
  kind: VersionKind<D, V, Summary>,
  documents: Documents<D>,
) {
  const get = (documentId: string, id: string, consistent = false): Promise<V | undefined> =>
    table.get(kind.entity, kind.keyOf(documentId, id), { consistent });
  const missing = () => notFound(`${capitalised(kind.noun)} version`);

  /** @throws 400 for a version of another document, 404 for an unknown one. */
  async function find(document: D, id: string): Promise<V> {
    if (document.draft?.id === id) return draftOf(kind, document);
    const version = await get(document.id, id);
    if (version) return version;
    const range = { partition: kind.allVersions, index: 2, from: id, to: id, limit: 1 } as const;
    if ((await table.query(range)).items.length === 0) throw missing();
    throw ofAnother(kind);
  }

  /** Turns the draft into the published version; it takes effect at once. @returns its id. */
  async function publishDraft(documentId: string, expectedId?: string): Promise<string> {
    const { publishedVersionId } = await documents.change(documentId, async (before) => {
      if (expectedId && before.draft?.id !== expectedId) throw noDraft();
      const draft = draftOf(kind, before);
      const version: V = { ...draft, type: 'published', createdAt: now().toISOString() };
      return {
        after: { ...pointedAt(before, version, version.createdAt), draft: null },
        beside: [table.writes.insert(kind.entity, version)],
      };
    });
    return publishedVersionId as string;
  }

  const pointedAt = (document: D, version: V, updatedAt: string): D => ({
    ...document,
    ...kind.publishedFields(version),
    publishedVersionId: version.id,
    updatedAt,
  });

  return {
    find,
    publishDraft,

    /** A version as a worker reads it: without its document, which may have gone on to another. @throws 404 */
    async immutable(documentId: string, id: string): Promise<V> {
      const version = await get(documentId, id, true);
      if (!version) throw missing();
      return version;
    },

    /** @throws 404 where nothing was published. */
    async published(document: D): Promise<V> {
      if (!document.publishedVersionId) throw notFound('Published version');
      return find(document, document.publishedVersionId);
    },

    /** All versions of a document, the last one first. */
    async list(document: D): Promise<Summary[]> {
      const draft = document.draft && kind.summary.parse(draftOf(kind, document));
      const range = { partition: kind.versionsOf(document.id), index: 1, newestFirst: true } as const;
      const stored = (await table.queryAll(range)).map(({ SK1, summary }) =>
        kind.summary.parse({ ...(summary as object), id: SK1 }),
      );
      return [...(draft ? [draft] : []), ...stored].sort((a, b) => b.number - a.number);
    },

    /** Points the document at a version: its draft, or one that was published before. */
    async publish(documentId: string, id: string): Promise<void> {
      const version = await find(await documents.find(documentId), id);
      if (version.type === 'draft') return void (await publishDraft(documentId, id));
      if (version.type !== 'published') throw notPublishable(version);
      await documents.change(documentId, async (before) => ({
        after: pointedAt(before, version, now().toISOString()),
      }));
    },
  };
}

/** The version that a document's draft is. @throws 404 where it has none. */
export function draftOf<D extends Versioned, V extends Version, Summary>(
  kind: VersionKind<D, V, Summary>,
  document: D,
): V {
  if (!document.draft) throw noDraft();
  const version: Version = { ...document.draft, type: 'draft', label: null, notes: null };
  return { ...version, ...kind.contentOf(document) } as V;
}

const noDraft = () => notFound('Draft version');

const ofAnother = ({ noun, codeOfForeign }: { noun: string; codeOfForeign: DetailCode }) =>
  invalidAt('versionId', codeOfForeign, `The version belongs to another ${noun}`);

const notPublishable = ({ type }: Version) =>
  invalidAt('versionId', 'NOT_PUBLISHABLE', `A ${type} version is the record of a run; publish the draft`);

const capitalised = (noun: string) => noun.charAt(0).toUpperCase() + noun.slice(1);
