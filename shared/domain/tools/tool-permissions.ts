import type { Scope } from '../../platform/data/scope.ts';
import type { Permission } from '../../platform/identity/permissions.ts';
import { readBuiltinId } from '../flows/steps/tool-reference.ts';
import { findBuiltinTool } from './builtin/index.ts';
import type { OwnTools } from './own-tool-problems.ts';
import { readTools } from './tool-store.ts';
import { getToolType } from './tool-types/index.ts';
import { findRuntimeType } from './tool-types/runtime-types.ts';

/** What the tools take that an agent or steps name and define: nothing if there are none. */
export async function permissionsToRun(
  scope: Pick<Scope, 'table'>,
  { ids, runtimeTools = [], mcpServers = [] }: OwnTools & { ids: readonly string[] },
): Promise<Permission[]> {
  if (ids.length + runtimeTools.length + mcpServers.length === 0) return [];
  const ofTypes = runtimeTools.map(({ toolType }) => findRuntimeType(toolType)?.permission);
  return [
    'TOOLS:EXECUTE',
    ...ofTypes.filter((permission) => permission != null),
    ...(await listToolPermissions(scope, ids)),
  ];
}

/** What running these tools takes in addition to TOOLS:EXECUTE. Tools that do not exist take nothing: they fail. */
async function listToolPermissions(
  scope: Pick<Scope, 'table'>,
  ids: readonly string[],
): Promise<Set<Permission>> {
  const builtin = ids.flatMap((id) => readBuiltinId(id) ?? []);
  const stored = await readTools(scope, [...new Set(ids.filter((id) => readBuiltinId(id) === undefined))]);
  const permissions = [
    ...builtin.map((id) => findBuiltinTool(id)?.permission),
    ...stored.map(({ toolType }) => getToolType(toolType).permission),
  ];
  return new Set(permissions.filter((permission) => permission != null));
}
