import { notFound } from '../../core/errors.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { savedDraft } from '../../platform/data/version-kind.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import type { Agent } from './agent.ts';
import { type AgentChanges, changedFields, newAgentFields } from './agent-changes.ts';
import { agentStore, type PrimaryFlow } from './agent-store.ts';

export interface SavedAgent {
  agent: Agent;
  primaryFlow: PrimaryFlow | null;
}

/** Creates and changes agents from what a caller sends. */
export const agentEditor = /* @__PURE__ */ using([agentStore], (scope: Scope) => {
  const { now, newId } = scope;
  const agents = agentStore(scope);

  /** @throws 404 if the caller names a flow that does not exist. A flow that was deleted later is null. */
  async function flowOf(after: Pick<Agent, 'primaryFlowId'>, { primaryFlowId }: AgentChanges) {
    const flow = await agents.primaryFlowOf(after);
    if (primaryFlowId && !flow) throw notFound('Flow');
    return flow;
  }

  return {
    async create(principal: Principal, given: AgentChanges & { name: string }): Promise<SavedAgent> {
      const { userId, organizationId } = principal;
      const fields = changedFields(newAgentFields(given.name), given);
      const primaryFlow = await flowOf(fields, given);
      const agent = await agents.create(newId('agent'), { userId, organizationId, ...fields });
      return { agent, primaryFlow };
    },

    /** Saves to the draft. Creates it if there is none. */
    async update(id: string, changes: AgentChanges): Promise<SavedAgent> {
      const at = now().toISOString();
      const draft = { id: newId('agentver'), createdAt: at };
      let primaryFlow: PrimaryFlow | null = null;
      const agent = await agents.change(id, async (before) => {
        const fields = changedFields(before, changes);
        primaryFlow = await flowOf(fields, changes);
        const after = { ...before, ...fields, ...savedDraft(before, draft), updatedAt: at };
        return { after: { ...after, search: after.name.toLowerCase() } };
      });
      return { agent, primaryFlow };
    },
  };
});
