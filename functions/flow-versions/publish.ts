import * as z from 'zod';
import { resourceId } from '../../shared/core/ids.ts';
import { assertPublishable } from '../../shared/domain/flows/sub-flows/check-targets.ts';
import { versionStore } from '../../shared/domain/flows/version-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { FlowVersionsParams } from './schemas.ts';

export const publishFlowVersion = defineEndpoint({
  id: 'flow-versions.publish',
  method: 'POST',
  path: '/v1/flow-versions/{flowId}/publish',
  permission: 'FLOWS:WRITE',
  summary: 'Publish a specific version of a flow',
  description: 'Publishes the draft, or rolls the flow back to a version that was published before.',
  params: FlowVersionsParams,
  body: z.strictObject({ versionId: resourceId('flowver') }),
  response: {
    kind: 'json',
    bodies: {
      200: z.object({ success: z.boolean(), message: z.string(), flowId: z.string(), versionId: z.string() }),
    },
  },
  errors: [400, 404, 409],
  needs: { versions: versionStore, assertPublishable },

  async handle({ params: { flowId }, body: { versionId } }, { versions, assertPublishable }) {
    const { steps } = await versions.get(flowId, versionId);
    await assertPublishable(flowId, steps);
    await versions.publish(flowId, versionId);
    return { success: true, message: 'The version is published', flowId, versionId };
  },
});

export const handler = toLambda(publishFlowVersion);
