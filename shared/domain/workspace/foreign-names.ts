import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { apiKeyStore } from '../api-keys/api-key-store.ts';
import { clientTokenStore } from '../client-tokens/client-token-store.ts';
import { flowEntity, versionsPartition } from '../flows/flow.ts';
import { mcpConnectionStore } from '../mcp-connections/connection-store.ts';
import { readModelAccount } from '../model-configs/model-account.ts';
import { recordStore } from '../records/record-store.ts';
import type { ReferenceTarget } from './kinds/references.ts';
import type { NameBook } from './names.ts';

/** A reference as it stands in a stored resource (an id), or in a document (a name). */
export interface Reference {
  target: ReferenceTarget;
  value: string;
  within?: string | undefined;
}

type Named = readonly [name: string, id: string];
type Load = (wanted: readonly Reference[], book: NameBook) => Promise<readonly Named[]>;

/** Finds the names and ids of what documents refer to and do not contain. */
export const foreignNames = /* @__PURE__ */ using(
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
          return [value, await records.idOf({ type, name: name.join('/') })] as const;
        }),
      );
      return [...named, ...byName.flatMap(([name, id]) => (id ? [[name, id] as const] : []))];
    },

    async flowVersions(wanted, book) {
      const flowIds = new Set(
        wanted.flatMap(({ within = '' }) => book.idOf('flows', within) ?? (isFlowId(within) ? within : [])),
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
