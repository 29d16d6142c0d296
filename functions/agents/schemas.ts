import * as z from 'zod';
import { resourceId } from '../../shared/core/ids.ts';
import { nameUpTo, wellFormed, wellFormedOnly } from '../../shared/core/name.ts';
import { AgentConfig } from '../../shared/domain/agents/config/agent-config.ts';
import { CapabilityInput, capabilitiesMax } from '../../shared/domain/agents/config/capabilities.ts';
import { ExternalConfig, VendorManagedConfig } from '../../shared/domain/agents/config/external-config.ts';

const AgentName = nameUpTo(255);
const Description = z.string().max(2_000).refine(wellFormed, wellFormedOnly).nullable();
const Icon = z.string().max(50).refine(wellFormed, wellFormedOnly).nullable();

/** The names of agent types that other deployments of this API use. */
const aliases = { runtype: 'native', claude_managed: 'vendor_managed' } as const;

const AgentType = z
  .enum(['native', 'external', 'vendor_managed', 'runtype', 'claude_managed'])
  .transform((type) => (type === 'runtype' || type === 'claude_managed' ? aliases[type] : type))
  .meta({
    description:
      'Who runs the agent: this service, another server by the A2A protocol, or a vendor (such an agent can be stored, not run). `runtype` means `native`, `claude_managed` means `vendor_managed`. Default: native',
  });

const optionalFields = {
  description: Description.optional(),
  icon: Icon.optional(),
  primaryFlowId: resourceId('flow').nullable().optional(),
  agentType: AgentType.optional(),
  maxTurns: z.int().min(1).max(100).optional().meta({
    description: 'A shorthand of `config.loopConfig.maxTurns`, which wins if both are sent',
  }),
};

const vendorAlias = 'An alias of `vendorManagedConfig`, which wins if both are sent';

const example = {
  name: 'Airport guide',
  description: 'Answers questions about airports',
  config: {
    model: 'gpt-5-mini',
    systemPrompt: 'You answer questions about airports. Use your tools for facts.',
    loopConfig: { maxTurns: 8, maxCost: 0.5 },
    tools: { toolIds: ['builtin:record-search', 'builtin:date-time'], maxToolCalls: 12 },
  },
};

export const CreateAgentBody = z
  .strictObject({
    name: AgentName,
    ...optionalFields,
    config: AgentConfig.nullable().optional(),
    externalConfig: ExternalConfig.nullable().optional(),
    vendorManagedConfig: VendorManagedConfig.nullable().optional(),
    claudeManagedConfig: VendorManagedConfig.nullable().optional().meta({ description: vendorAlias }),
    capabilities: z.array(CapabilityInput).max(capabilitiesMax).optional(),
  })
  .meta({ examples: [example] });

const patchOf = (member: string) =>
  z
    .record(z.string(), z.unknown())
    .nullable()
    .meta({ description: `Merged into \`${member}\`, of which it has the members; null removes it` });

export const UpdateAgentBody = z
  .strictObject({
    name: AgentName.optional(),
    ...optionalFields,
    config: patchOf('config').optional(),
    externalConfig: patchOf('externalConfig').optional(),
    vendorManagedConfig: patchOf('vendorManagedConfig').optional(),
    claudeManagedConfig: patchOf('vendorManagedConfig').optional().meta({ description: vendorAlias }),
  })
  .meta({ examples: [{ config: { temperature: 0.2, loopConfig: { maxCost: null } } }] });

/** What the editor takes: without shorthands and aliases. */
export function toChanges<B extends z.output<typeof CreateAgentBody> | z.output<typeof UpdateAgentBody>>({
  maxTurns,
  claudeManagedConfig,
  ...body
}: B) {
  const { config, vendorManagedConfig = claudeManagedConfig } = body;
  const loopConfig: unknown = config?.loopConfig;
  const isOpen = loopConfig === undefined || (typeof loopConfig === 'object' && loopConfig !== null);
  const shorthand =
    maxTurns !== undefined && config !== null && isOpen
      ? { config: { ...config, loopConfig: { maxTurns, ...loopConfig } } }
      : {};
  return { ...body, vendorManagedConfig, ...shorthand };
}
