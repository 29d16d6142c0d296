import * as z from 'zod';
import { agentExporter } from '../../shared/domain/agents/export-agent.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { AgentParams } from './response-schemas.ts';

const JsonObject = z.record(z.string(), z.unknown());

const example = {
  id: 'agent_01k9m4v7d3x8qz5w2r6t0y1hbn',
  name: 'Airport guide',
  description: null,
  icon: null,
  agentType: 'native',
  config: { model: 'gpt-5-mini' },
  capabilities: [
    {
      toolName: 'clock',
      toolDescription: null,
      flowId: null,
      subAgentId: null,
      toolId: 'builtin:date-time',
      parametersSchema: null,
      enabled: true,
      displayOrder: 0,
    },
  ],
  tools: [],
  flows: [],
} as const;

export const exportAgentRuntime = defineEndpoint({
  id: 'agents.export-runtime',
  method: 'GET',
  path: '/v1/agents/{id}/export-runtime',
  permission: 'AGENTS:READ',
  summary: 'Export an agent for another runtime',
  description: `Returns the published version, or the live agent if no version is published. The export is self-contained: the flow, agent or tool of each capability is inlined as \`flow\`, \`agent\` or \`tool\`, three levels deep. \`omitted\` says why one is not: \`depth\`, \`cycle\`, \`deleted\` or \`vendor-managed\`. \`tools\` has all stored tools that the agents and flows reference, \`flows\` all flows. The export contains \`secret:NAME\` in place of each \`{{secret:NAME}}\` and of each stored credential, and models as \`<provider>/<modelId>\` in place of model configs.

To load it elsewhere: create its secrets, tools, flows and agents, agents without sub-agents first, with \`{{secret:NAME}}\` in place of \`secret:NAME\` and the new ids in place of the old ones. 400 for a vendor-managed agent, 413 for an export over 5 MB.`,
  params: AgentParams,
  response: {
    kind: 'json',
    bodies: {
      200: z
        .object({
          id: z.string(),
          name: z.string(),
          description: z.string().nullable(),
          icon: z.string().nullable(),
          agentType: z.enum(['native', 'external']),
          config: JsonObject,
          externalConfig: JsonObject.optional(),
          primaryFlow: JsonObject.optional(),
          capabilities: z.array(JsonObject).optional(),
          tools: z.array(JsonObject),
          flows: z.array(JsonObject),
        })
        .meta({ id: 'ExportedAgent', examples: [example] }),
    },
  },
  errors: [400, 404, 413],
  needs: { exportAgent: agentExporter },
  handle: ({ params }, { exportAgent }) => exportAgent(params.id),
});

export const handler = toLambda(exportAgentRuntime);
