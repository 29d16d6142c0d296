import * as z from 'zod';
import { resourceId } from '../../shared/core/ids.ts';
import { agentVersions } from '../../shared/domain/agents/agent-versions.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { AgentVersionsParams } from './schemas.ts';

const example = {
  success: true,
  message: 'The version is published',
  agentId: 'agent_01k9m4v7d3x8qz5w2r6t0y1hbn',
  versionId: 'agentver_01k9m4v7d3x8qz5w2r6t0y1hbn',
};

export const publishAgentVersion = defineEndpoint({
  id: 'agent-versions.publish',
  method: 'POST',
  path: '/v1/agent-versions/{agentId}/publish',
  permission: 'AGENTS:WRITE',
  summary: 'Publish a specific version of an agent',
  description: 'Publishes the draft, or rolls the agent back to a version that was published before.',
  params: AgentVersionsParams,
  body: z
    .strictObject({ versionId: resourceId('agentver') })
    .meta({ examples: [{ versionId: example.versionId }] }),
  response: {
    kind: 'json',
    bodies: {
      200: z
        .object({
          success: z.boolean(),
          message: z.string(),
          agentId: z.string(),
          versionId: z.string(),
        })
        .meta({ examples: [example] }),
    },
  },
  errors: [400, 404, 409],
  needs: { versions: agentVersions },

  async handle({ params: { agentId }, body: { versionId } }, { versions }) {
    await versions.publish(agentId, versionId);
    return { success: true, message: 'The version is published', agentId, versionId };
  },
});

export const handler = toLambda(publishAgentVersion);
