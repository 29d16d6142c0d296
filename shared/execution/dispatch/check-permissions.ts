import { missingPermission } from '../../core/errors/errors.ts';
import { secretKeysOfSteps } from '../../domain/flows/secret-keys.ts';
import { getStepType } from '../../domain/flows/step-types/index.ts';
import { walkSteps } from '../../domain/flows/steps/held-lists.ts';
import { stepTools } from '../../domain/flows/steps/prompt-tools.ts';
import { stepToolIds } from '../../domain/flows/steps/tool-reference.ts';
import { connectionsOfServers } from '../../domain/mcp-connections/named-connections.ts';
import { permissionsToRun } from '../../domain/tools/own-tool-problems.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { covers, type Permission } from '../../platform/identity/permissions.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import type { DispatchBody } from './request.ts';

/**
 * @returns what the request takes beyond FLOWS:EXECUTE, since it does more than run a stored flow.
 * @throws 403 if the caller lacks such a permission.
 */
export async function checkPermissions(
  scope: Pick<Scope, 'table'>,
  { permissions }: Principal,
  { flow, record, options }: DispatchBody,
): Promise<Permission[]> {
  const needed = new Set<Permission>();
  const requirePermission = (permission: Permission) => {
    if (!covers(permissions, permission)) throw missingPermission(permission);
    needed.add(permission);
  };
  if (options.flowMode === 'create' || options.flowMode === 'upsert') requirePermission('FLOWS:WRITE');
  if (options.autoAppendMetadata || (record && options.recordMode === 'create'))
    requirePermission('RECORDS:WRITE');
  if (!flow?.steps) return [...needed];
  if (record?.id || options.recordMode === 'existing') requirePermission('RECORDS:READ');
  // A flow can send a secret to a server of its author, so only callers who may create flows may reference secrets.
  if (secretKeysOfSteps(flow.steps).length > 0) requirePermission('FLOWS:WRITE');
  // Likewise connections, which act for the person who authorized them.
  const steps = [...walkSteps(flow.steps)].map(({ step }) => step);
  const mcpServers = steps.flatMap((step) => stepTools(step).mcpServers ?? []);
  if (connectionsOfServers(mcpServers).length > 0) requirePermission('FLOWS:WRITE');
  for (const { type } of steps) {
    const { permission } = getStepType(type);
    if (permission) requirePermission(permission);
  }
  const tools = {
    ids: steps.flatMap(stepToolIds),
    runtimeTools: steps.flatMap((step) => stepTools(step).runtimeTools ?? []),
    mcpServers,
  };
  for (const permission of await permissionsToRun(scope, tools)) requirePermission(permission);
  return [...needed];
}
