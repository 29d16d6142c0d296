/**
 * The book of names of a workspace document: which name stands for which id, for every kind of reference.
 *
 * Documents refer by names, stored resources by ids; the book replaces one by the other. What the caller may not read stays an
 * id. What a document will create has a placeholder id until it is created. `snapshot.ts` fills it, `plan.ts` and `apply.ts`
 * use it.
 */

import type { IdPrefix, NewId } from '../../core/ids.ts';
import { type Access, grants } from '../../platform/identity/permissions.ts';
import type { ReferenceTarget, ReplaceReference } from './kinds/references.ts';

/** Stands for what was deleted and is still referred to. */
export const deletedName = '(deleted)';

interface Target {
  noun: string;
  prefix: IdPrefix;
  mark?: string;
  /** What lists their names. */
  access: Access;
}

const targets: Readonly<Record<ReferenceTarget, Target>> = {
  flows: { noun: 'flow', prefix: 'flow', access: 'FLOWS:READ' },
  flowVersions: { noun: 'published version of the flow', prefix: 'flowver', access: 'FLOWS:READ' },
  agents: { noun: 'agent', prefix: 'agent', access: 'AGENTS:READ' },
  // These stand where other texts are allowed too: a built-in tool, a model of the catalog.
  tools: { noun: 'tool', prefix: 'tool', mark: 'tool:', access: 'TOOLS:READ' },
  modelConfigs: { noun: 'model config', prefix: 'modelcfg', mark: 'modelConfig:', access: 'MODELS:READ' },
  products: { noun: 'product', prefix: 'product', access: 'PRODUCTS:READ' },
  surfaces: { noun: 'surface', prefix: 'surface', access: 'PRODUCTS:READ' },
  capabilities: { noun: 'capability of the product', prefix: 'cap', access: 'PRODUCTS:READ' },
  budgets: { noun: 'budget', prefix: 'budget', access: 'BUDGETS:READ' },
  apiKeys: { noun: 'API key', prefix: 'key', access: 'authenticated' },
  clientTokens: { noun: 'client token', prefix: 'clienttoken', access: 'CLIENT_TOKENS:READ' },
  mcpConnections: { noun: 'MCP connection', prefix: 'mcpconn', access: 'SECRETS:READ' },
  providerKeys: { noun: 'provider key', prefix: 'providerkey', access: 'authenticated' },
  records: { noun: 'record', prefix: 'record', access: 'RECORDS:READ' },
};

/** What a caller must have to learn the names of what a document refers to. */
export const getAccess = (target: ReferenceTarget): Access => targets[target].access;

export const getTargetNoun = (target: ReferenceTarget) => targets[target].noun;

export const isId = (target: ReferenceTarget, text: string) =>
  new RegExp(`^${targets[target].prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`).test(text);

/** The name in a text of a place where other texts are allowed too. @returns undefined for such a text */
export function readName(target: ReferenceTarget, text: string): string | undefined {
  const { mark } = targets[target];
  if (mark === undefined) return text;
  return text.startsWith(mark) ? text.slice(mark.length) : undefined;
}

/** Whether a text of a stored resource is an id. */
export const refersById = (target: ReferenceTarget, text: string) =>
  targets[target].mark === undefined || isId(target, text);

/** The names of everything that a document refers to, with their ids. What the caller may not read stays an id. */
export class NameBook {
  readonly #ids = new Map<string, string>();
  readonly #names = new Map<string, string>();
  readonly #newId: NewId;
  readonly #permissions: readonly string[];

  constructor(newId: NewId, permissions: readonly string[]) {
    this.#newId = newId;
    this.#permissions = permissions;
  }

  /** Whether the caller may read what has these names. */
  shows(target: ReferenceTarget): boolean {
    return grants(this.#permissions, getAccess(target));
  }

  add(target: ReferenceTarget, name: string, id: string): void {
    this.#ids.set(`${target} ${name}`, id);
    this.#names.set(id, name);
  }

  /** Nothing can refer to it by its name any more. */
  forget(target: ReferenceTarget, name: string): void {
    this.#ids.delete(`${target} ${name}`);
  }

  getId(target: ReferenceTarget, name: string): string | undefined {
    return this.#ids.get(`${target} ${name}`);
  }

  /** An id that stands for what does not exist yet. */
  addPlaceholder(target: ReferenceTarget, name: string): string {
    const id = this.#newId(targets[target].prefix);
    this.add(target, name, id);
    return id;
  }

  /** Replaces ids by names. */
  readonly toName: ReplaceReference = (target, value) => {
    if (!refersById(target, value) || !this.shows(target)) return value;
    const name = this.#names.get(value) ?? deletedName;
    return `${targets[target].mark ?? ''}${target === 'flowVersions' ? (name.split('#').at(-1) ?? name) : name}`;
  };

  /** Replaces names by ids. @param onUnknown Gives the id for a name that nothing has. */
  toId(
    onUnknown: (target: ReferenceTarget, name: string, path: readonly PropertyKey[]) => string,
  ): ReplaceReference {
    return (target, value, path, within) => {
      if (!this.shows(target) && isId(target, value)) return value;
      const name = readName(target, value);
      if (name === undefined) return isId(target, value) ? onUnknown(target, value, path) : value;
      const key = target === 'flowVersions' ? `${this.getId('flows', within ?? '')}#${name}` : name;
      const id = name === deletedName ? undefined : this.getId(target, key);
      return id ?? onUnknown(target, name, path);
    };
  }
}
