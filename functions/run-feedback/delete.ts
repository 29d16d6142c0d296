import * as z from 'zod';
import { missingPermission, notFound } from '../../shared/core/errors/errors.ts';
import { runFeedbackStore } from '../../shared/domain/feedback/run-feedback-store.ts';
import { visitorFeedback } from '../../shared/domain/feedback/visitor-feedback.ts';
import { listKinds, toKindPermission } from '../../shared/domain/runs/kind-permissions.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { writesRuns } from '../runs/schemas.ts';
import { FeedbackParams } from './schemas.ts';

export const deleteFeedback = defineEndpoint({
  id: 'run-feedback.delete',
  method: 'DELETE',
  path: '/v1/feedback/{id}',
  permission: writesRuns,
  summary: 'Delete feedback',
  description:
    'That of a visitor also leaves its conversation. Needs WRITE of the kind of the run: FLOWS for flows and batches, AGENTS, TOOLS.',
  params: FeedbackParams,
  response: { kind: 'json', bodies: { 204: z.void() } },
  errors: [400, 404],
  needs: { feedback: runFeedbackStore, ofVisitors: visitorFeedback },

  async handle({ params: { id }, permissions }, { feedback, ofVisitors }) {
    const found = await feedback.get(id);
    const held = await permissions();
    const writable = listKinds(held, 'WRITE');
    const readable = [...writable, ...listKinds(held, 'READ')];
    if (!found || !readable.includes(found.kind)) throw notFound('Feedback');
    if (!writable.includes(found.kind)) throw missingPermission(toKindPermission(found.kind, 'WRITE'));
    if (found.conversationId) await ofVisitors.remove(found.conversationId, id);
    await feedback.remove(id);
  },
});

export const handler = toLambda(deleteFeedback);
