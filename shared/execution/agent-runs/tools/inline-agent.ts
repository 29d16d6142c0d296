import * as z from 'zod';
import { sandbox, withQueueTimeout } from '../../../adapters/sandbox/sandbox.ts';
import { invalidAt } from '../../../core/errors/errors.ts';
import { resourceId } from '../../../core/ids.ts';
import { nameUpTo } from '../../../core/name.ts';
import { hasSecretReference } from '../../../core/secrets/secret-references.ts';
import { assertTargets } from '../../../domain/agents/capability-targets.ts';
import { checkAgent } from '../../../domain/agents/checks/check-agent.ts';
import { toolIdsIn } from '../../../domain/agents/checks/named-tools.ts';
import type { AgentContent } from '../../../domain/agents/config/agent.ts';
import { AgentConfig } from '../../../domain/agents/config/agent-config.ts';
import {
  CapabilityInput,
  capabilitiesMax,
  newCapability,
} from '../../../domain/agents/config/capabilities.ts';
import { credentialField } from '../../../domain/flows/steps/mcp-server.ts';
import { isOfMcpServer } from '../../../domain/flows/steps/tool-reference.ts';
import {
  assertConnections,
  connectionsOfServers,
} from '../../../domain/mcp-connections/named-connections.ts';
import { permissionsToRun } from '../../../domain/tools/tool-permissions.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import type { Permission } from '../../../platform/identity/permissions.ts';
import type { Principal } from '../../../platform/identity/principal.ts';
import { requireAll } from '../../../platform/identity/require-all.ts';
import type { AgentToRun } from '../log/run-input.ts';
import { agentToRun } from './agent-to-run.ts';
import { inlineAgent, inlineContent } from './inline-content.ts';

/** The agent that a dispatch runs: a stored one, or one that exists for this run only. */
export const DispatchedAgent = z
  .strictObject({
    id: resourceId('agent')
      .optional()
      .meta({ description: 'The id of a stored agent; excludes the other members' }),
    name: nameUpTo(255).optional(),
    config: AgentConfig.optional(),
    capabilities: z.array(CapabilityInput).max(capabilitiesMax).optional(),
  })
  .superRefine((agent, context) => {
    if (agent.id && Object.keys(agent).length > 1) {
      context.addIssue({ code: 'custom', message: 'Give only the id for a stored agent' });
    }
    if (!agent.id && !agent.config) {
      context.addIssue({ code: 'custom', path: ['config'], message: 'Required, unless an id is given' });
    }
  });
export type DispatchedAgent = z.infer<typeof DispatchedAgent>;

/** What a dispatched run of an agent needs. @throws 400, 403, 404 */
export async function dispatchedAgent(
  scope: Scope,
  principal: Principal,
  given: DispatchedAgent,
  version: string | undefined,
): Promise<{ agent: AgentToRun; permissions: Permission[] }> {
  const { environment } = principal;
  if (given.id) {
    const permissions = required(principal, ['AGENTS:EXECUTE']);
    return { agent: await agentToRun(scope)(given.id, { environment, version }), permissions };
  }
  const content = contentOf(scope, given);
  refusePlaintexts(content);
  const permissions = required(principal, await neededBy(scope, content));
  await checkAgent(content, withQueueTimeout(sandbox(scope)));
  await assertTargets(scope.table, content.capabilities);
  await assertConnections(scope.table, connectionsOfServers(content.config?.tools?.mcpServers));
  return { agent: inlineAgent(given.name ?? 'Inline agent', content), permissions };
}

function contentOf({ newId, now }: Scope, { config = {}, capabilities = [] }: DispatchedAgent): AgentContent {
  const createdAt = now().toISOString();
  return inlineContent(
    config,
    capabilities.map((capability, displayOrder) =>
      newCapability(capability, { id: newId('cap'), createdAt, displayOrder }),
    ),
  );
}

/** The run stores its agent, and a credential must not be stored in the clear. */
function refusePlaintexts({ config }: AgentContent): void {
  for (const [index, server] of (config?.tools?.mcpServers ?? []).entries()) {
    const field = credentialField(server);
    const value = field && server.auth?.[field];
    if (!field || value === undefined || hasSecretReference(value)) continue;
    throw invalidAt(
      `agent.config.tools.mcpServers.${index}.auth.${field}`,
      'SECRET_NOT_ALLOWED',
      'An inline agent names its credentials as {{secret:KEY}}; store the value with POST /v1/secrets',
    );
  }
}

async function neededBy(scope: Scope, content: AgentContent): Promise<Permission[]> {
  const { config, capabilities, secretKeys } = content;
  const { runtimeTools, mcpServers } = config?.tools ?? {};
  const ids = [
    ...toolIdsIn(config?.tools).filter((id) => !isOfMcpServer(id)),
    ...capabilities.flatMap(({ toolId }) => toolId ?? []),
  ];
  return [
    'AGENTS:EXECUTE',
    // An agent can send a secret to a server of its author, so only callers who may create agents may reference secrets.
    // Likewise connections, which act for the person who authorized them.
    ...(secretKeys.length > 0 || connectionsOfServers(mcpServers).length > 0
      ? (['AGENTS:WRITE'] as const)
      : []),
    ...(await permissionsToRun(scope, { ids, runtimeTools, mcpServers })),
    ...(capabilities.some(({ flowId }) => flowId) ? (['FLOWS:EXECUTE'] as const) : []),
    ...(config?.memory?.enabled ? (['RECORDS:READ', 'RECORDS:WRITE'] as const) : []),
  ];
}

function required(principal: Principal, needed: readonly Permission[]): Permission[] {
  requireAll(principal, needed);
  return [...new Set(needed)];
}
