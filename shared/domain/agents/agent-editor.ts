/**
 * Creates and edits an agent as its endpoints do: merges the changes, checks the result, takes the plaintexts of credentials
 * out of it and stores them, then writes.
 *
 * The values of credentials are stored before the write that names them; if it fails, those that no agent names are deleted
 * (`credentials/credential-writer.ts`). Which credentials were sent is audited in the same transaction, without their values.
 */

import type { Sandbox } from '../../adapters/sandbox/sandbox.ts';
import { notFound } from '../../core/errors/errors.ts';
import { getIdCreatedAt } from '../../core/ids.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { saveDraft } from '../../platform/data/versions/version-kind.ts';
import { type AuditEvent, audit } from '../../platform/identity/audit.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import { assertConnections, connectionsOfServers } from '../mcp-connections/named-connections.ts';
import { type AgentChanges, createAgentFields, type EditedFields, mergeFields } from './agent-changes.ts';
import { agentStore, type PrimaryFlow } from './agent-store.ts';
import { assertTargets } from './capability-targets.ts';
import { checkAgent } from './checks/check-agent.ts';
import type { Agent } from './config/agent.ts';
import { type CapabilityInput, newCapability } from './config/capabilities.ts';
import { extractPlaintexts } from './credentials/credential-places.ts';
import { credentialWriter } from './credentials/credential-writer.ts';
import { secretKeysOfAgent } from './credentials/secret-keys.ts';

export interface SavedAgent {
  agent: Agent;
  primaryFlow: PrimaryFlow | null;
}

const listConnections = ({ config }: Pick<Agent, 'config'>) =>
  connectionsOfServers(config?.tools?.mcpServers);

type NewAgentInput = AgentChanges & { name: string; capabilities?: CapabilityInput[] | undefined };

export const agentEditor = /* @__PURE__ */ using([agentStore, credentialWriter], (scope: Scope) => {
  const { table, now, newId } = scope;
  const agents = agentStore(scope);
  const credentials = credentialWriter(scope);

  /** @throws 404 if the caller names a flow that does not exist. A flow that was deleted later is null. */
  async function findFlow(after: Pick<Agent, 'primaryFlowId'>, { primaryFlowId }: AgentChanges) {
    const flow = await agents.findPrimaryFlow(after);
    if (primaryFlowId && !flow) throw notFound('Flow');
    return flow;
  }

  /** Checks an agent as it would be, and takes the plaintexts of credentials out of it. */
  async function checkContent(before: EditedFields, after: EditedFields, sandbox: Sandbox) {
    await checkAgent(after, sandbox);
    await assertConnections(table, listConnections(after), listConnections(before));
    const { content, plaintexts } = extractPlaintexts(before, after);
    return { fields: { ...content, secretKeys: secretKeysOfAgent(content) }, plaintexts };
  }

  /** Records which credentials were sent. Not in the log, because a change may be decided twice. */
  const auditCredentials = (
    principal: Principal,
    targetId: string,
    plaintexts: ReadonlyMap<string, string>,
  ) => {
    const names = [...plaintexts.keys()];
    const event: AuditEvent = { action: 'agent.credentials-set', targetId, details: { names } };
    return names.length > 0 ? [audit(scope, principal, event).write] : [];
  };

  return {
    async create(principal: Principal, input: NewAgentInput, sandbox: Sandbox): Promise<SavedAgent> {
      const { userId, organizationId } = principal;
      const id = newId('agent');
      const createdAt = getIdCreatedAt(id);
      const empty = createAgentFields(input.name);
      const capabilities = (input.capabilities ?? []).map((capability, displayOrder) =>
        newCapability(capability, { id: newId('cap'), createdAt, displayOrder }),
      );
      const changed = { ...mergeFields(empty, input), capabilities };
      const { fields, plaintexts } = await checkContent(empty, changed, sandbox);
      const [primaryFlow] = await Promise.all([findFlow(fields, input), assertTargets(table, capabilities)]);
      const agent = await credentials.runChange(async (store) => {
        const stored = await store({ id, credentials: [] }, fields, plaintexts);
        const alsoWrite = auditCredentials(principal, id, plaintexts);
        return agents.create(id, { userId, organizationId, ...fields, credentials: stored }, alsoWrite);
      });
      return { agent, primaryFlow };
    },

    /** Saves to the draft. Creates it if there is none. */
    async update(
      principal: Principal,
      id: string,
      changes: AgentChanges,
      sandbox: Sandbox,
    ): Promise<SavedAgent> {
      const at = now().toISOString();
      const draft = { id: newId('agentver'), createdAt: at };
      let primaryFlow: PrimaryFlow | null = null;
      const agent = await credentials.runChange((store) =>
        agents.change(id, async (before) => {
          const { fields, plaintexts } = await checkContent(before, mergeFields(before, changes), sandbox);
          primaryFlow = await findFlow(fields, changes);
          const stored = await store(before, fields, plaintexts);
          const after = {
            ...before,
            ...fields,
            credentials: stored,
            ...saveDraft(before, draft),
            updatedAt: at,
          };
          return {
            after: { ...after, search: after.name.toLowerCase() },
            alsoWrite: auditCredentials(principal, id, plaintexts),
          };
        }),
      );
      return { agent, primaryFlow };
    },
  };
});
