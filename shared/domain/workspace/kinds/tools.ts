import { using } from '../../../platform/aws/uses.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import { toolStore } from '../../tools/tool-store.ts';
import type { StoredResource, WorkspaceKind } from './kind.ts';
import { toolPlaces } from './places.ts';
import { readAll } from './read-all.ts';
import { mapReferences } from './references.ts';

export const toolsKind: WorkspaceKind = {
  group: 'TOOLS',
  noun: 'tool',
  nameMember: 'name',
  getName: ({ name }) => String(name),
  defaults: { isActive: true },
  references: mapReferences(toolPlaces),
  read: /* @__PURE__ */ using([toolStore], (scope: Scope) => {
    const store = toolStore(scope);
    return (room) =>
      readAll(
        async (query) => {
          const { tools, pagination } = await store.list(query);
          return { ids: tools.map(({ id }) => id), nextCursor: pagination.nextCursor };
        },
        async (id): Promise<StoredResource> => {
          const { name, description, toolType, parametersSchema, config, isActive } = await store.get(id);
          return { id, content: { name, toolType, description, parametersSchema, config, isActive } };
        },
        room,
      );
  }),
};
