import { using } from '../../platform/aws/uses.ts';
import { payloadFolders } from '../../platform/data/payloads.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { conversationPartition, conversationPayloads } from './conversation.ts';

export const conversationCleaner = /* @__PURE__ */ using(
  ['table:write', 'table:delete', payloadFolders],
  (scope: Scope) =>
    async (id: string): Promise<void> => {
      await scope.table.removeRange({ partition: conversationPartition(id) });
      await payloadFolders(scope, conversationPayloads).remove(id);
    },
);
