import type * as z from 'zod';
import { invalid } from '../../core/errors/errors.ts';
import { mergePatch } from '../../core/json/merge-patch.ts';
import { parseOrReject } from '../../platform/http/validation.ts';
import type { Agent, AgentContent } from './config/agent.ts';
import { AgentConfig } from './config/agent-config.ts';
import { ExternalConfig } from './config/external-config.ts';
import { VendorManagedConfig } from './config/vendor-config.ts';

type Patch = Record<string, unknown> | null | undefined;

/** Missing members stay unchanged. Configs are merged: objects deeply, `null` removes a member or the whole config. */
export interface AgentChanges {
  name?: string | undefined;
  description?: string | null | undefined;
  icon?: string | null | undefined;
  primaryFlowId?: string | null | undefined;
  agentType?: Agent['agentType'] | undefined;
  config?: Patch;
  externalConfig?: Patch;
  vendorManagedConfig?: Patch;
}

export type EditedFields = Pick<Agent, 'name' | 'description' | 'icon'> & AgentContent;

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
export function mergeFields(before: EditedFields, changes: AgentChanges): EditedFields {
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
