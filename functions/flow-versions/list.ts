import * as z from 'zod';
import { versionStore } from '../../shared/domain/flows/version-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda.ts';
import { VersionsParams, VersionType } from './schemas.ts';

const VersionListItem = z
  .object({
    id: z.string(),
    versionNumber: z.int(),
    versionType: VersionType,
    label: z.string().nullable(),
    notes: z.string().nullable(),
    stepSummary: z.string().nullable(),
    stepCount: z.int(),
    createdAt: z.string(),
  })
  .meta({ id: 'FlowVersionListItem' });

export const listFlowVersions = defineEndpoint({
  id: 'flow-versions.list',
  method: 'GET',
  path: '/v1/flow-versions/{flowId}',
  permission: 'FLOWS:READ',
  summary: 'List the versions of a flow',
  description: 'Newest first, not paged.',
  params: VersionsParams,
  query: z.object({ type: VersionType.optional() }),
  response: {
    kind: 'json',
    bodies: {
      200: z.object({
        flowId: z.string(),
        publishedVersionId: z.string().nullable(),
        versions: z.array(VersionListItem),
      }),
    },
  },
  errors: [400, 404],
  needs: { versions: versionStore },

  async handle({ params, query }, { versions }) {
    const { flow, versions: all } = await versions.list(params.flowId);
    return {
      flowId: flow.id,
      publishedVersionId: flow.publishedVersionId,
      versions: all
        .filter(({ type }) => !query.type || type === query.type)
        .map(({ number, type, ...version }) => ({ ...version, versionNumber: number, versionType: type })),
    };
  },
});

export const handler = toLambda(listFlowVersions);
