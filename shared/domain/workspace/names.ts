import type { IdPrefix, NewId } from '../../core/ids.ts';
import type { ReferenceTarget, ReplaceReference } from './kinds/references.ts';

/** Stands for what was deleted and is still referred to. */
export const deletedName = '(deleted)';

const targets: Readonly<Record<ReferenceTarget, { noun: string; prefix: IdPrefix; mark?: string }>> = {
  flows: { noun: 'flow', prefix: 'flow' },
  flowVersions: { noun: 'published version of the flow', prefix: 'flowver' },
  agents: { noun: 'agent', prefix: 'agent' },
  // These stand where other texts are allowed too: a built-in tool, a model of the catalog.
  tools: { noun: 'tool', prefix: 'tool', mark: 'tool:' },
  modelConfigs: { noun: 'model config', prefix: 'modelcfg', mark: 'modelConfig:' },
  products: { noun: 'product', prefix: 'product' },
  surfaces: { noun: 'surface', prefix: 'surface' },
  capabilities: { noun: 'capability of the product', prefix: 'cap' },
  budgets: { noun: 'budget', prefix: 'budget' },
  apiKeys: { noun: 'API key', prefix: 'key' },
  clientTokens: { noun: 'client token', prefix: 'clienttoken' },
  mcpConnections: { noun: 'MCP connection', prefix: 'mcpconn' },
  providerKeys: { noun: 'provider key', prefix: 'providerkey' },
  records: { noun: 'record', prefix: 'record' },
};

export const targetNoun = (target: ReferenceTarget) => targets[target].noun;

const isId = (target: ReferenceTarget, text: string) =>
  new RegExp(`^${targets[target].prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`).test(text);

/** The name in a text of a place where other texts are allowed too. @returns undefined for such a text */
export function markedName(target: ReferenceTarget, text: string): string | undefined {
  const { mark } = targets[target];
  if (mark === undefined) return text;
  return text.startsWith(mark) ? text.slice(mark.length) : undefined;
}

/** Whether a text of a stored resource is an id. */
export const refersById = (target: ReferenceTarget, text: string) =>
  targets[target].mark === undefined || isId(target, text);

/** The names of everything that a document refers to, with their ids. */
export class NameBook {
  readonly #ids = new Map<string, string>();
  readonly #names = new Map<string, string>();
  readonly #newId: NewId;

  constructor(newId: NewId) {
    this.#newId = newId;
  }

  add(target: ReferenceTarget, name: string, id: string): void {
    this.#ids.set(`${target} ${name}`, id);
    this.#names.set(id, name);
  }

  /** Nothing can refer to it by its name any more. */
  forget(target: ReferenceTarget, name: string): void {
    this.#ids.delete(`${target} ${name}`);
  }

  idOf(target: ReferenceTarget, name: string): string | undefined {
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
    if (!refersById(target, value)) return value;
    const name = this.#names.get(value) ?? deletedName;
    return `${targets[target].mark ?? ''}${target === 'flowVersions' ? (name.split('#').at(-1) ?? name) : name}`;
  };

  /** Replaces names by ids. @param onUnknown Gives the id for a name that nothing has. */
  toId(
    onUnknown: (target: ReferenceTarget, name: string, path: readonly PropertyKey[]) => string,
  ): ReplaceReference {
    return (target, value, path, within) => {
      const name = markedName(target, value);
      if (name === undefined) return isId(target, value) ? onUnknown(target, value, path) : value;
      const key = target === 'flowVersions' ? `${this.idOf('flows', within ?? '')}#${name}` : name;
      const id = name === deletedName ? undefined : this.idOf(target, key);
      return id ?? onUnknown(target, name, path);
    };
  }
}
