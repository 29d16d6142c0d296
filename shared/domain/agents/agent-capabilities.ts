import type { Sandbox } from '../../adapters/sandbox/sandbox.ts';
import { conflict, invalid, invalidAt, notFound } from '../../core/errors/errors.ts';
import { getIdCreatedAt } from '../../core/ids.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { TenantTable } from '../../platform/data/table.ts';
import { saveDraft } from '../../platform/data/versions/version-kind.ts';
import type { Write } from '../../platform/data/writes.ts';
import { flowEntity } from '../flows/flow.ts';
import { readBuiltinId } from '../flows/steps/tool-reference.ts';
import { findBuiltinTool } from '../tools/builtin/index.ts';
import { findParametersProblems } from '../tools/check-tool.ts';
import { toolEntity } from '../tools/tool.ts';
import { agentStore } from './agent-store.ts';
import { createLinkWrite } from './checks/sub-agent-links.ts';
import { type Agent, type AgentCapability, agentEntity } from './config/agent.ts';
import { type CapabilityInput, capabilitiesMax, newCapability } from './config/capabilities.ts';

interface Changed {
  capabilities: AgentCapability[];
  alsoWrite?: Write[];
}

export const agentCapabilities = /* @__PURE__ */ using([agentStore], (scope: Scope) => {
  const { table, now, newId } = scope;
  const agents = agentStore(scope);

  const change = (agentId: string, decide: (before: Agent) => Promise<Changed>) => {
    const at = now().toISOString();
    const draft = { id: newId('agentver'), createdAt: at };
    return agents.change(agentId, async (before) => {
      const { capabilities, alsoWrite = [] } = await decide(before);
      const capabilityCount = capabilities.length;
      const after = { ...before, capabilities, capabilityCount, ...saveDraft(before, draft), updatedAt: at };
      return { after, alsoWrite };
    });
  };

  return {
    /** @throws 400 for an invalid schema or a call of itself; 404 for a missing agent or target; 409 for a taken name. */
    async add(agentId: string, input: CapabilityInput, sandbox: Sandbox): Promise<AgentCapability> {
      const problems = await findParametersProblems(input.parametersSchema, ['parametersSchema'], sandbox);
      if (problems.length > 0) throw invalid(problems);
      const id = newId('cap');
      const made = { id, createdAt: getIdCreatedAt(id) };
      let added: AgentCapability | undefined;
      await change(agentId, async ({ capabilities }) => {
        assertRoom(capabilities, input.toolName);
        await assertTargets(table, [input]);
        const displayOrder = (capabilities.at(-1)?.displayOrder ?? -1) + 1;
        added = newCapability(input, { ...made, displayOrder });
        const { subAgentId } = input;
        const alsoWrite = subAgentId ? [await createLinkWrite(table, agentId, subAgentId)] : [];
        return { capabilities: [...capabilities, added], alsoWrite };
      });
      return added as AgentCapability;
    },

    /** @throws 404 */
    async remove(agentId: string, capabilityId: string): Promise<void> {
      await change(agentId, async ({ capabilities }) => {
        const left = capabilities.filter(({ id }) => id !== capabilityId);
        if (left.length === capabilities.length) throw notFound('Capability');
        return { capabilities: left };
      });
    },
  };
});

function assertRoom(capabilities: readonly AgentCapability[], toolName: string): void {
  if (capabilities.some((capability) => capability.toolName === toolName)) {
    const message = `The agent has a capability with the tool name "${toolName}". Choose another name, or remove it`;
    throw conflict({ path: 'toolName', code: 'NAME_TAKEN', message });
  }
  if (capabilities.length < capabilitiesMax) return;
  throw invalidAt('toolName', 'LIMIT_REACHED', `An agent has at most ${capabilitiesMax} capabilities`);
}

type Targets = Pick<CapabilityInput, 'flowId' | 'subAgentId' | 'toolId'>;

/** @throws 404 if a target does not exist. */
export async function assertTargets(table: TenantTable, capabilities: readonly Targets[]): Promise<void> {
  const wanted = capabilities.flatMap(({ flowId, subAgentId, toolId }) => [
    ...(flowId ? [{ what: 'Flow', key: flowEntity.key({ id: flowId }) }] : []),
    ...(subAgentId ? [{ what: 'Agent', key: agentEntity.key({ id: subAgentId }) }] : []),
    ...(toolId && !isBuiltin(toolId) ? [{ what: 'Tool', key: toolEntity.key({ id: toolId }) }] : []),
  ]);
  if (wanted.length === 0) return;
  const found = await table.getMany(wanted.map(({ key }) => key));
  const missing = wanted.find((_target, index) => !found[index]);
  if (missing) throw notFound(missing.what);
}

function isBuiltin(toolId: string): boolean {
  const builtinId = readBuiltinId(toolId);
  if (builtinId !== undefined && !findBuiltinTool(builtinId)) throw notFound('Tool');
  return builtinId !== undefined;
}
