import * as z from 'zod';
import { agentVersions } from '../../shared/domain/agents/agent-versions.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { AgentParams } from './response-schemas.ts';

export const publishAgent = defineEndpoint({
  id: 'agents.publish',
  method: 'POST',
  path: '/v1/agents/{id}/publish',
  permission: 'AGENTS:WRITE',
  summary: 'Publish an agent',
  description:
    'Publishes the live agent as a new version, also if nothing changed since the last publication. A published version is immutable.',
  params: AgentParams,
  response: {
    kind: 'json',
    bodies: {
      200: z.object({ success: z.boolean(), publishedVersionId: z.string(), message: z.string() }).meta({
        examples: [
          {
            success: true,
            publishedVersionId: 'agentver_01k9m4v7d3x8qz5w2r6t0y1hbn',
            message: 'The agent is published',
          },
        ],
      }),
    },
  },
  errors: [400, 404, 409],
  needs: { versions: agentVersions },

  async handle({ params }, { versions }) {
    const publishedVersionId = await versions.publishCurrent(params.id);
    return { success: true, publishedVersionId, message: 'The agent is published' };
  },
});

export const handler = toLambda(publishAgent);
