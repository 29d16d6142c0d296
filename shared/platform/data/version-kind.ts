import * as z from 'zod';
import type { DetailCode } from '../../core/error-codes.ts';
import { notFound } from '../../core/errors.ts';
import type { IdPrefix } from '../../core/ids.ts';
import type { AnyEntity } from './entity.ts';
import type { Partition } from './keys.ts';

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

/** The version that a document's draft is. @throws 404 where it has none. */
export function draftOf<D extends Versioned, V extends Version, Summary>(
  kind: VersionKind<D, V, Summary>,
  document: D,
): V {
  if (!document.draft) throw noDraft();
  const version: Version = { ...document.draft, type: 'draft', label: null, notes: null };
  return { ...version, ...kind.contentOf(document) } as V;
}

export const noDraft = () => notFound('Draft version');
