import * as z from 'zod';
import { versionStore } from '../../shared/domain/flows/version-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda.ts';
import { FlowParams } from './answers.ts';

export const publishFlow = defineEndpoint({
  id: 'flows.publish',
  method: 'POST',
  path: '/v1/flows/{id}/publish',
  permission: 'FLOWS:WRITE',
  summary: 'Publish the draft version of a flow',
  description: 'The version is immutable from then on. 404 when there is no draft: nothing was edited since.',
  params: FlowParams,
  response: {
    kind: 'json',
    bodies: {
      200: z.object({ success: z.boolean(), publishedVersionId: z.string(), message: z.string() }),
    },
  },
  errors: [400, 404, 409],
  needs: { versions: versionStore },

  async handle({ params }, { versions }) {
    const publishedVersionId = await versions.publishDraft(params.id);
    return { success: true, publishedVersionId, message: 'The draft version is now the published version' };
  },
});

export const handler = toLambda(publishFlow);
