import type { ErrorDetail } from '../../../core/errors/errors.ts';
import type { Need } from '../../../platform/data/scope.ts';
import type { Limited } from '../../tenant-limits.ts';
import type { ReferenceMap } from './references.ts';

export type Members = Record<string, unknown>;

/** A stored resource, or a part of one. Its content refers to others by their ids. */
export interface Resource {
  id: string;
  content: Members;
  parts?: Readonly<Record<string, readonly Resource[]>>;
  /** Whether it has a draft that is not published. */
  isUnpublished?: boolean;
}

/** A resource as a document has it: with names in the place of ids. */
export interface Entry {
  /** Its name, which no other of its list has. */
  key: string;
  content: Members;
  /** A list that is missing is not part of the document. */
  parts: Readonly<Record<string, readonly Entry[]>>;
  /** Its place in a document that was sent. */
  path: readonly PropertyKey[];
  resource?: Resource;
}

/** What is wrong with a resource of a document. */
export interface Problem extends ErrorDetail {
  at: readonly PropertyKey[];
  /** Whether it matters only if the resource changes, because stored ones may have it. */
  onlyIfChanging?: boolean;
}

/** How a document describes the resources of a list. */
export interface Kind {
  noun: string;
  /** The member with the name. Null if a resource has none: its `nameOf` says what it stands for. */
  nameMember: string | null;
  nameOf: (content: Members) => string;
  /** Whether the name follows from other members, so that no request contains it. */
  isNameDerived?: true;
  /** What members mean that a document leaves out. */
  defaults: Members;
  /** Members that stay unchanged if a document leaves them out, because the service chooses their values. */
  kept?: readonly string[];
  /** The same content, for stored and sent ones, without what a document does not contain. */
  tidy?: (content: Members) => Members;
  /** Where a sent content holds values of secrets. */
  plaintexts?: (content: Members) => PropertyKey[][];
  /** Takes out what cannot be applied, such as a secret that is not stored. */
  fitted?: (content: Members, before: Members | undefined) => { content: Members; notes: string[] };
  /** What is wrong with a resource as a whole. */
  problems?: (entry: Entry) => Problem[];
  references: ReferenceMap;
  parts?: Readonly<Record<string, Kind>>;
  /** Parts that a document does not name stay, unless it prunes: those with keys or a history of their own. */
  onlyPruned?: true;
}

export interface WorkspaceKind extends Kind {
  /** Of its permissions. */
  group: 'FLOWS' | 'AGENTS' | 'TOOLS' | 'MODELS' | 'PRODUCTS' | 'BUDGETS';
  /** Which of a tenant's limits counts them. */
  limited?: Limited;
  /** Reads all of them, oldest first. */
  read: Need<() => Promise<Resource[]>>;
}
