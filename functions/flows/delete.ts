import * as z from 'zod';
import { flowStore } from '../../shared/domain/flows/flow-store.ts';
import { cleanupQueue } from '../../shared/platform/cleanup/cleanup.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { FlowParams } from './response-schemas.ts';

export const deleteFlow = defineEndpoint({
  id: 'flows.delete',
  method: 'DELETE',
  path: '/v1/flows/{id}',
  permission: 'FLOWS:WRITE',
  summary: 'Delete a flow',
  description:
    'Also deletes its versions, step results and runs: they are unreadable at once and removed in the background. No further record of its batches begins; to stop what runs right now, cancel it first.',
  params: FlowParams,
  response: { kind: 'json', bodies: { 204: z.void() } },
  errors: [400, 404, 409],
  needs: { flows: flowStore, cleanup: cleanupQueue },

  async handle({ params }, { flows, cleanup }) {
    await flows.remove(params.id);
    await cleanup.enqueue([params.id]);
  },
});

export const handler = toLambda(deleteFlow);
