import * as z from 'zod';
import { resourceId } from '../../shared/core/ids.ts';
import { versionFinder } from '../../shared/domain/flows/version-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { responseBytesMax, takeWithinBytes } from '../../shared/platform/http/responses/body-sizes.ts';
import { FlowVersionsParams, FlowVersionType } from './schemas.ts';

const VersionListItem = z
  .object({
    id: z.string(),
    versionNumber: z.int(),
    versionType: FlowVersionType,
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
  description:
    'Newest first. A response holds up to 5 MB of versions. If `hasMore` is true, continue with `before`, the id of the last version.',
  params: FlowVersionsParams,
  query: z.object({ type: FlowVersionType.optional(), before: resourceId('flowver').optional() }),
  response: {
    kind: 'json',
    bodies: {
      200: z.object({
        flowId: z.string(),
        publishedVersionId: z.string().nullable(),
        versions: z.array(VersionListItem),
        hasMore: z.boolean(),
      }),
    },
  },
  errors: [400, 404],
  needs: { versions: versionFinder },

  async handle({ params, query }, { versions }) {
    const { flow, versions: all } = await versions.list(params.flowId);
    const { type: asked, before } = query;
    const matching = all.filter(({ id, type }) => (!asked || type === asked) && (!before || id < before));
    const listed = takeWithinBytes(matching, responseBytesMax);
    return {
      flowId: flow.id,
      publishedVersionId: flow.publishedVersionId,
      versions: listed.map(({ number, type, ...version }) => ({
        ...version,
        versionNumber: number,
        versionType: type,
      })),
      hasMore: listed.length < matching.length,
    };
  },
});

export const handler = toLambda(listFlowVersions);
