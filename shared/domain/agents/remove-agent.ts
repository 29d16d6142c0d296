import { using } from '../../platform/aws/uses.ts';
import { cleanupQueue } from '../../platform/cleanup/cleanup.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { agentStore } from './agent-store.ts';
import { credentialWriter } from './credentials/credential-writer.ts';

/** Deletes an agent: its credentials and itself at once, what belongs to it in the background. @throws 404 */
export const agentRemover = /* @__PURE__ */ using(
  [agentStore, credentialWriter, cleanupQueue],
  (scope: Scope) =>
    async (id: string): Promise<void> => {
      // First, so that a retry after a failure finds the agent, though without its credentials.
      await agentStore(scope).remove(id, ({ credentials }) => credentialWriter(scope).revoke(credentials));
      await cleanupQueue(scope).enqueue([id]);
    },
);
