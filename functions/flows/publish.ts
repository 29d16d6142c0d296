import * as z from 'zod';
import { versionStore } from '../../shared/domain/flows/version-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { FlowParams } from './response-schemas.ts';

export const publishFlow = defineEndpoint({
  id: 'flows.publish',
  method: 'POST',
  path: '/v1/flows/{id}/publish',
  permission: 'FLOWS:WRITE',
  summary: 'Publish the draft version of a flow',
  description:
    'A published version is immutable. 404 if there is no draft, that is, no change since the last publication.',
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
    return { success: true, publishedVersionId, message: 'The draft version is published' };
  },
});

export const handler = toLambda(publishFlow);
