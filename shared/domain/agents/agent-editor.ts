/**
 * Creates and edits an agent: merges the changes, checks the result, takes the plaintexts of credentials out of it,
 * stores them and writes.
 * The values of credentials are stored before the write that names them; if it fails, those that no agent names are
 * deleted (`credentials/credential-writer.ts`). Which credentials were sent is audited in the same transaction, without
 * their values.
 * A change is decided on the current agent and repeated after a conflict; it goes to the draft. Configs are merged
 * deeply, and `null` removes. Capabilities are set only by a creation; `agent-capabilities.ts` changes them.
 * The endpoints of agents call it; the checks of workspace documents begin with the same empty agent
 * (`createAgentFields`).
 */
import type * as z from 'zod';
import type { Sandbox } from '../../adapters/sandbox/sandbox.ts';
import { invalid, notFound } from '../../core/errors/errors.ts';
import { getIdCreatedAt } from '../../core/ids.ts';
import { mergePatch } from '../../core/json/merge-patch.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { saveDraft } from '../../platform/data/versions/version-kind.ts';
import { parseOrReject } from '../../platform/http/validation.ts';
import { type AuditEvent, audit } from '../../platform/identity/audit.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import { assertConnections, connectionsOfServers } from '../mcp-connections/named-connections.ts';
import { assertTargets } from './agent-capabilities.ts';
import { agentStore, type PrimaryFlow } from './agent-store.ts';
import { checkAgent } from './checks/check-agent.ts';
import type { Agent, AgentContent } from './config/agent.ts';
import { AgentConfig } from './config/agent-config.ts';
import { type CapabilityInput, newCapability } from './config/capabilities.ts';
import { ExternalConfig, VendorManagedConfig } from './config/external-config.ts';
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

type Patch = Record<string, unknown> | null | undefined;

/** Missing members stay unchanged. Configs are merged: objects deeply, `null` removes a member or the whole config. */
interface AgentChanges {
  name?: string | undefined;
  description?: string | null | undefined;
  icon?: string | null | undefined;
  primaryFlowId?: string | null | undefined;
  agentType?: Agent['agentType'] | undefined;
  config?: Patch;
  externalConfig?: Patch;
  vendorManagedConfig?: Patch;
}

type EditedFields = Pick<Agent, 'name' | 'description' | 'icon'> & AgentContent;

export const createAgentFields = (name: string): EditedFields => ({
  name,
  description: null,
  icon: null,
  agentType: 'native',
  primaryFlowId: null,
  config: null,
  externalConfig: null,
  vendorManagedConfig: null,
  capabilities: [],
  secretKeys: [],
});

/** @throws 400 if a config is not valid after the merge, or does not fit the type of the agent. */
function mergeFields(before: EditedFields, changes: AgentChanges): EditedFields {
  const {
    name = before.name,
    description = before.description,
    icon = before.icon,
    primaryFlowId = before.primaryFlowId,
    agentType = before.agentType,
  } = changes;
  const mergeMember = <S extends z.ZodType>(
    schema: S,
    member: 'config' | 'externalConfig' | 'vendorManagedConfig',
  ) => {
    const patch = changes[member];
    if (patch === undefined || patch === null) return patch;
    const sent = member === 'externalConfig' ? markRemoval(patch) : patch;
    return parseOrReject(schema, mergePatch(before[member] ?? {}, sent), [member]);
  };
  const [config, externalConfig, vendorManagedConfig] = [
    mergeMember(AgentConfig, 'config'),
    mergeMember(ExternalConfig, 'externalConfig'),
    mergeMember(VendorManagedConfig, 'vendorManagedConfig'),
  ];
  const after: EditedFields = {
    name,
    description,
    icon,
    primaryFlowId,
    agentType,
    config: config === undefined ? before.config : config,
    externalConfig: externalConfig === undefined ? before.externalConfig : externalConfig,
    vendorManagedConfig: vendorManagedConfig === undefined ? before.vendorManagedConfig : vendorManagedConfig,
    capabilities: before.capabilities,
    secretKeys: before.secretKeys,
  };
  assertCallable(after);
  return after;
}

function assertCallable({ agentType, externalConfig }: EditedFields): void {
  if (agentType !== 'external' || externalConfig?.endpoint || externalConfig?.agentCardUrl) return;
  const message = 'Required for an external agent: the address of the agent, or agentCardUrl';
  throw invalid([{ path: 'externalConfig.endpoint', code: 'MISSING_REQUIRED_FIELD', message }]);
}

/** Stored credentials are not in the config, so that a patch of it could remove them. */
function markRemoval(patch: Record<string, unknown>) {
  const auth = patch.auth as Record<string, unknown> | null | undefined;
  if (auth?.credentials !== null) return patch;
  return { ...patch, auth: { ...auth, configured: false } };
}
