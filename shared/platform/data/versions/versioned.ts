/**
 * The versions of a document (a flow or an agent): one draft, which is the document's own content, and immutable published
 * versions beside it.
 *
 * Publishing copies the draft into a version and points the document to it in one transaction, so a reader sees either the old
 * version or the new one. What a run uses of unpublished content is a snapshot (`version-snapshots.ts`). The domain gives its
 * `VersionKind` and the change of its documents; `flows/version-store.ts` and `agents/agent-versions.ts` are the two users.
 */

import type { DetailCode } from '../../../core/errors/error-codes.ts';
import { invalidAt, notFound } from '../../../core/errors/errors.ts';
import { capitalise } from '../../../core/text.ts';
import type { Scope } from '../scope.ts';
import type { Write } from '../writes.ts';
import {
  createMissingDraft,
  saveDraft,
  toDraftVersion,
  toStoredVersion,
  type Version,
  type Versioned,
  type VersionKind,
} from './version-kind.ts';

export interface Documents<D> {
  /** @throws 404 */
  find: (id: string) => Promise<D>;
  /** Applies a change to the current document, with further writes in the same transaction. */
  change: (id: string, decide: (before: D) => Promise<{ after: D; alsoWrite?: Write[] }>) => Promise<D>;
}

/** What reads the versions of documents. */
export function readVersions<D extends Versioned, V extends Version, Summary extends { number: number }>(
  { table }: Pick<Scope, 'table'>,
  kind: VersionKind<D, V, Summary>,
) {
  const get = (documentId: string, id: string, consistent = false): Promise<V | undefined> =>
    table.get(kind.entity, kind.keyOf(documentId, id), { consistent });
  const createMissing = () => notFound(`${capitalise(kind.noun)} version`);

  /** @throws 400 for a version of another document, 404 for an unknown one. */
  async function find(document: D, id: string): Promise<V> {
    if (document.draft?.id === id) return toDraftVersion(kind, document);
    const version = await get(document.id, id);
    if (version) return version;
    const range = { partition: kind.allVersions, index: 2, from: id, to: id } as const;
    if ((await table.first(1, range)).items.length === 0) throw createMissing();
    throw createForeignError(kind);
  }

  return {
    find,

    /** Reads a version without its document, which may have a newer version by now. For workers. @throws 404 */
    async getImmutable(documentId: string, id: string): Promise<V> {
      const version = await get(documentId, id, true);
      if (!version) throw createMissing();
      return version;
    },

    /** @throws 404 if no version is published. */
    async findPublished(document: D): Promise<V> {
      if (!document.publishedVersionId) throw notFound('Published version');
      return find(document, document.publishedVersionId);
    },

    /** All versions of a document, newest first. */
    async list(document: D): Promise<Summary[]> {
      const draft = document.draft && kind.summary.parse(toDraftVersion(kind, document));
      const range = { partition: kind.versionsOf(document.id), index: 1, newestFirst: true } as const;
      const stored = (await table.queryAll(range)).map(({ SK1, summary }) =>
        kind.summary.parse({ ...(summary as object), id: SK1 }),
      );
      return [...(draft ? [draft] : []), ...stored].sort((a, b) => b.number - a.number);
    },
  };
}

/** Versions of documents: a mutable draft, and immutable published and test versions. */
export function manageVersions<D extends Versioned, V extends Version, Summary extends { number: number }>(
  { table, now, newId }: Pick<Scope, 'table' | 'now' | 'newId'>,
  kind: VersionKind<D, V, Summary>,
  documents: Documents<D>,
) {
  const reads = readVersions({ table }, kind);

  /** @param toPublish The document with the draft to publish, which becomes a version. @returns the version's id. */
  async function publishDocument(documentId: string, toPublish: (document: D) => D): Promise<string> {
    const { publishedVersionId } = await documents.change(documentId, async (before) => {
      const document = toPublish(before);
      const draft = toDraftVersion(kind, document);
      const version: V = { ...draft, type: 'published', createdAt: now().toISOString() };
      return {
        after: { ...setPublished(document, version, version.createdAt), draft: null },
        alsoWrite: [table.writes.insert(kind.entity, toStoredVersion(kind, version))],
      };
    });
    return publishedVersionId as string;
  }

  /** Publishes the draft, with immediate effect. @throws 404 if there is none, or another than expected. */
  const publishDraft = (documentId: string, expectedId?: string): Promise<string> =>
    publishDocument(documentId, (document) => {
      if (expectedId && document.draft?.id !== expectedId) throw createMissingDraft();
      return document;
    });

  const setPublished = (document: D, version: V, updatedAt: string): D => ({
    ...document,
    ...kind.publishedFields(version),
    publishedVersionId: version.id,
    updatedAt,
  });

  return {
    ...reads,
    publishDraft,

    /** Publishes the content of the document as a new version, also if there is no draft. */
    publishCurrent: (documentId: string): Promise<string> =>
      publishDocument(documentId, (document) => {
        const draft = { id: newId(kind.idPrefix), createdAt: now().toISOString() };
        return { ...document, ...saveDraft(document, draft) };
      }),

    /** Publishes a version: the draft, or one that was published before. */
    async publish(documentId: string, id: string): Promise<void> {
      const version = await reads.find(await documents.find(documentId), id);
      if (version.type === 'draft') return void (await publishDraft(documentId, id));
      if (version.type !== 'published') throw createNotPublishable(version);
      await documents.change(documentId, async (before) => ({
        after: setPublished(before, version, now().toISOString()),
      }));
    },
  };
}

const createForeignError = ({ noun, codeOfForeign }: { noun: string; codeOfForeign: DetailCode }) =>
  invalidAt(
    'versionId',
    codeOfForeign,
    `The version belongs to another ${noun}. Send a version of this ${noun}`,
  );

const createNotPublishable = ({ type }: Version) =>
  invalidAt(
    'versionId',
    'NOT_PUBLISHABLE',
    `A ${type} version is a snapshot of a run. Publish the draft instead`,
  );
