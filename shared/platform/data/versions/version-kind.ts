import * as z from 'zod';
import type { DetailCode } from '../../../core/errors/error-codes.ts';
import { notFound } from '../../../core/errors/errors.ts';
import type { IdPrefix } from '../../../core/ids.ts';
import type { AnyEntity } from '../entity.ts';
import type { Partition } from '../keys.ts';

/** In addition to the content, which is that of the draft if there is one. */
export const versionedFields = {
  id: z.string(),
  /** The unpublished version, which consists of the document's content. */
  draft: z.object({ id: z.string(), number: z.int(), createdAt: z.string() }).nullable(),
  publishedVersionId: z.string().nullable(),
  lastVersionNumber: z.int(),
  /** Incremented with each change, for optimistic locking. */
  revision: z.int(),
  updatedAt: z.string(),
};
const Versioned = z.object(versionedFields);
export type Versioned = z.infer<typeof Versioned>;

/** The fields of a version in addition to the content. Versions are immutable; a draft has no item of its own. */
export const versionFields = {
  id: z.string(),
  number: z.int(),
  /** Test and virtual versions are snapshots of unpublished content that was run. */
  type: z.enum(['published', 'draft', 'test', 'virtual']),
  label: z.string().nullable(),
  notes: z.string().nullable(),
  createdAt: z.string(),
  /** The expiry of versions of unsaved documents, in Unix seconds. */
  ttl: z.int().optional(),
};
const Version = z.object(versionFields);
export type Version = z.infer<typeof Version>;

export interface VersionKind<D extends Versioned, V extends Version, Summary> {
  /** The noun for error messages, in lower case. */
  noun: string;
  /** The error code for a version of another document. */
  codeOfForeign: DetailCode;
  idPrefix: IdPrefix;
  /** The summary of a version, which both indexes list by its id. */
  entity: AnyEntity;
  keyOf: (documentId: string, id: string) => object;
  /** The partition of index 1 with the versions of a document. */
  versionsOf: (documentId: string) => Partition;
  /** The partition of index 2 with a version, or with a document by its draft, under the version's id. */
  allVersions: Partition;
  summary: z.ZodType<Summary>;
  contentOf: (document: D) => Omit<V, keyof Version>;
  publishedFields: (version: V) => Partial<D>;
  /** Converts a version to what the table stores, if the schema of the entity transforms. */
  stored?: (version: V) => object;
}

export const createFirstDraft = (draft: { id: string; createdAt: string }) => ({
  draft: { ...draft, number: 1 },
  publishedVersionId: null,
  lastVersionNumber: 1,
  revision: 1,
});

/** The fields that change when the draft is saved. Creates the draft if there is none. */
export function saveDraft({ draft, lastVersionNumber }: Versioned, made: { id: string; createdAt: string }) {
  const number = lastVersionNumber + (draft ? 0 : 1);
  return { draft: draft ?? { ...made, number }, lastVersionNumber: number };
}

/** A document's draft as a version. @throws 404 if there is none. */
export function toDraftVersion<D extends Versioned, V extends Version, Summary>(
  kind: VersionKind<D, V, Summary>,
  document: D,
): V {
  if (!document.draft) throw createMissingDraft();
  const version: Version = { ...document.draft, type: 'draft', label: null, notes: null };
  return { ...version, ...kind.contentOf(document) } as V;
}

export const createMissingDraft = () => notFound('Draft version');

export const toStoredVersion = <D extends Versioned, V extends Version, Summary>(
  { stored }: Pick<VersionKind<D, V, Summary>, 'stored'>,
  version: V,
): object => stored?.(version) ?? version;
