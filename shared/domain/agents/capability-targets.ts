import { notFound } from '../../core/errors/errors.ts';
import type { TenantTable } from '../../platform/data/table.ts';
import { flowEntity } from '../flows/flow.ts';
import { readBuiltinId } from '../flows/steps/tool-reference.ts';
import { findBuiltinTool } from '../tools/builtin/index.ts';
import { toolEntity } from '../tools/tool.ts';
import { agentEntity } from './config/agent.ts';
import type { CapabilityInput } from './config/capabilities.ts';

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
