import { invalidAt, notFound } from '../../core/errors.ts';
import { decodeReadable } from '../../platform/data/entity.ts';
import type { TenantTable } from '../../platform/data/table.ts';
import { flowEntity } from '../flows/flow.ts';
import { builtinIdIn } from '../flows/steps/tool-reference.ts';
import { builtinToolOf } from '../tools/builtin/index.ts';
import { toolEntity } from '../tools/tool.ts';
import { agentEntity } from './agent.ts';
import type { CapabilityInput } from './capabilities.ts';

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
  const builtinId = builtinIdIn(toolId);
  if (builtinId !== undefined && !builtinToolOf(builtinId)) throw notFound('Tool');
  return builtinId !== undefined;
}

const agentsMax = 100;

/**
 * Two requests at the same time can still make a cycle. Runs are limited in depth.
 * @throws 400 if the agent would call itself, also through other agents.
 */
export async function assertNoCycle(table: TenantTable, agentId: string, subAgentId: string): Promise<void> {
  const seen = new Set<string>();
  for (let level = [subAgentId]; level.length > 0; ) {
    if (level.includes(agentId)) throw cycle();
    for (const id of level) seen.add(id);
    if (seen.size > agentsMax) throw tooMany();
    const items = await table.getMany(
      level.map((id) => agentEntity.key({ id })),
      { consistent: true },
    );
    const called = decodeReadable(agentEntity, items).flatMap(({ capabilities }) =>
      capabilities.flatMap((capability) => capability.subAgentId ?? []),
    );
    level = [...new Set(called)].filter((id) => !seen.has(id));
  }
}

const cycle = () =>
  invalidAt(
    'subAgentId',
    'INVALID_VALUE',
    'The agent would call itself, directly or through other agents. Choose another sub-agent',
  );

const tooMany = () =>
  invalidAt('subAgentId', 'TOO_BIG', `The sub-agent reaches more than ${agentsMax} agents. Use fewer`);
