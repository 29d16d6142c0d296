import { expectStatus } from '../flows/flows.ts';
import type { Tenant } from '../stack/stack.ts';

type Json = Record<string, unknown>;

interface Exported extends Json {
  id: string;
  primaryFlow?: { id: string };
  capabilities: (Json & { agent?: Exported })[];
  tools?: (Json & { id: string; toolType: string })[];
  flows?: (Json & { id: string; steps: object[] })[];
}

const references = /\bsecret:([A-Z][A-Z0-9_]+)/g;

/**
 * Loads an export into a tenant, only from what the export says: secrets, tools, flows, agents.
 * @returns the new ids by the old ones.
 */
export async function loadExport({ call }: Pick<Tenant, 'call'>, exported: Exported) {
  const ids = new Map<string, string>();
  const keys = new Set([...JSON.stringify(exported).matchAll(references)].map(([, key]) => key));
  for (const key of keys) {
    await expectStatus(201, call('POST', '/v1/secrets', { body: { key, value: `the value of ${key}` } }));
  }
  const renewed = (value: unknown) => {
    const named = JSON.stringify(value).replace(references, '{{secret:$1}}');
    return JSON.parse([...ids].reduce((text, [old, id]) => text.replaceAll(old, id), named));
  };

  const loadTool = async ({ id, ...tool }: Json & { id: string }) =>
    void ids.set(id, (await expectStatus(200, call('POST', '/v1/tools', { body: renewed(tool) }))).id);
  const { tools = [], flows = [] } = exported;
  for (const tool of tools.filter(({ toolType }) => toolType !== 'flow')) await loadTool(tool);
  for (const { id, steps, ...flow } of flows) {
    const body = renewed({ ...flow, flowSteps: steps });
    ids.set(id, (await expectStatus(201, call('POST', '/v1/flows', { body }))).id);
  }
  for (const tool of tools.filter(({ toolType }) => toolType === 'flow')) await loadTool(tool);

  async function loadAgent({
    id,
    primaryFlow,
    capabilities,
    tools: _tools,
    flows: _flows,
    ...agent
  }: Exported) {
    for (const { agent: subAgent } of capabilities) {
      if (subAgent && !ids.has(subAgent.id)) await loadAgent(subAgent);
    }
    const callable = capabilities
      .filter(({ omitted }) => !omitted)
      .map(({ flow: _flow, agent: _agent, tool: _tool, displayOrder: _order, ...capability }) => capability);
    const body = renewed({ ...agent, primaryFlowId: primaryFlow?.id ?? null, capabilities: callable });
    ids.set(id, (await expectStatus(201, call('POST', '/v1/agents', { body }))).id);
  }
  await loadAgent(exported);
  return ids;
}
