import * as z from 'zod';
import { resourceId } from '../../shared/core/ids.ts';
import { agentVersions } from '../../shared/domain/agents/agent-versions.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { responseBytesMax, takeWithinBytes } from '../../shared/platform/http/responses/envelope.ts';
import { AgentVersionsParams, AgentVersionType } from './schemas.ts';

const VersionListItem = z
  .object({
    id: z.string(),
    versionNumber: z.int(),
    versionType: AgentVersionType,
    label: z.string().nullable(),
    notes: z.string().nullable(),
    configSummary: z.string().nullable(),
    createdAt: z.string(),
  })
  .meta({
    id: 'AgentVersionListItem',
    examples: [
      {
        id: 'agentver_01k9m4v7d3x8qz5w2r6t0y1hbn',
        versionNumber: 1,
        versionType: 'published',
        label: null,
        notes: null,
        configSummary: 'gpt-5-mini, 1 capability',
        createdAt: '2026-11-22T09:30:00.000Z',
      },
    ],
  });

export const listAgentVersions = defineEndpoint({
  id: 'agent-versions.list',
  method: 'GET',
  path: '/v1/agent-versions/{agentId}',
  permission: 'AGENTS:READ',
  summary: 'List the versions of an agent',
  description:
    'Newest first. A response holds up to 5 MB of versions. If `hasMore` is true, continue with `before`, the id of the last version.',
  params: AgentVersionsParams,
  query: z.object({ type: AgentVersionType.optional(), before: resourceId('agentver').optional() }),
  response: {
    kind: 'json',
    bodies: {
      200: z.object({
        agentId: z.string(),
        publishedVersionId: z.string().nullable(),
        draftVersionId: z.string().nullable(),
        versions: z.array(VersionListItem),
        hasMore: z.boolean(),
      }),
    },
  },
  errors: [400, 404],
  needs: { versions: agentVersions },

  async handle({ params, query }, { versions }) {
    const { agent, versions: all } = await versions.list(params.agentId);
    const { type: asked, before } = query;
    const matching = all.filter(({ id, type }) => (!asked || type === asked) && (!before || id < before));
    const listed = takeWithinBytes(matching, responseBytesMax);
    return {
      agentId: agent.id,
      publishedVersionId: agent.publishedVersionId,
      draftVersionId: agent.draft?.id ?? null,
      versions: listed.map(({ number, type, ...version }) => ({
        ...version,
        versionNumber: number,
        versionType: type,
      })),
      hasMore: listed.length < matching.length,
    };
  },
});

export const handler = toLambda(listAgentVersions);
