import type { ErrorDetail } from '../../../core/errors/errors.ts';
import type { Need } from '../../../platform/data/scope.ts';
import type { Limited } from '../../tenant-limits.ts';
import type { DocumentRoom } from './read-all.ts';
import type { ReferenceMap } from './references.ts';

export type ResourceMembers = Record<string, unknown>;

/** A stored resource, or a part of one. Its content refers to others by their ids. */
export interface StoredResource {
  id: string;
  content: ResourceMembers;
  parts?: Readonly<Record<string, readonly StoredResource[]>>;
  /** Whether it has a draft that is not published. */
  isUnpublished?: boolean;
}

/** A resource as a document has it: with names in the place of ids. */
export interface DocumentEntry {
  /** Its name, which no other of its list has. */
  key: string;
  content: ResourceMembers;
  /** A list that is missing is not part of the document. */
  parts: Readonly<Record<string, readonly DocumentEntry[]>>;
  /** Its endpoint refuses the content, which may have any shape: nothing else may look into it. */
  isRefused?: true;
  /** Its place in a document that was sent. */
  path: readonly PropertyKey[];
  resource?: StoredResource;
}

/** What is wrong with a resource of a document. */
export interface DocumentProblem extends ErrorDetail {
  at: readonly PropertyKey[];
  /** Whether it matters only if the resource changes, because stored ones may have it. */
  onlyIfChanging?: boolean;
}

/** How a document describes the resources of a list. */
export interface DocumentKind {
  noun: string;
  /** The member with the name. Null if a resource has none: its `getName` says what it stands for. */
  nameMember: string | null;
  getName: (content: ResourceMembers) => string;
  /** Whether the name follows from other members, so that no request contains it. */
  isNameDerived?: true;
  /** What members mean that a document leaves out. */
  defaults: ResourceMembers;
  /** Members that stay unchanged if a document leaves them out, because the service chooses their values. */
  kept?: readonly string[];
  /** The same content, for stored and sent ones, without what a document does not contain. */
  tidy?: (content: ResourceMembers) => ResourceMembers;
  /** Where a sent content holds values of secrets. */
  plaintexts?: (content: ResourceMembers) => PropertyKey[][];
  /** Takes out what cannot be applied, such as a secret that is not stored. */
  fit?: (
    content: ResourceMembers,
    before: ResourceMembers | undefined,
  ) => { content: ResourceMembers; notes: string[] };
  /** What is wrong with a resource as a whole. */
  problems?: (entry: DocumentEntry) => DocumentProblem[];
  references: ReferenceMap;
  parts?: Readonly<Record<string, DocumentKind>>;
  /** Parts that a document does not name stay, unless it prunes: those with keys or a history of their own. */
  onlyPruned?: true;
}

export interface WorkspaceKind extends DocumentKind {
  /** Of its permissions. */
  group: 'FLOWS' | 'AGENTS' | 'TOOLS' | 'MODELS' | 'PRODUCTS' | 'BUDGETS';
  /** Which of a tenant's limits counts them. */
  limited?: Limited;
  /** Reads all of them, oldest first. */
  read: Need<(room: DocumentRoom) => Promise<StoredResource[]>>;
}
