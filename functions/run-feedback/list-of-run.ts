import { notFound } from '../../shared/core/errors/errors.ts';
import { runFeedbackStore } from '../../shared/domain/feedback/run-feedback-store.ts';
import { runFinder } from '../../shared/domain/runs/find-run.ts';
import { readableKinds } from '../../shared/domain/runs/kind-permissions.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { feedbackPage } from './pages.ts';
import { FeedbackList, FeedbackQuery, RunParams } from './schemas.ts';

export const listFeedbackOfRun = defineEndpoint({
  id: 'run-feedback.list-of-run',
  method: 'GET',
  path: '/v1/runs/{id}/feedback',
  permission: ['FLOWS:READ', 'AGENTS:READ', 'TOOLS:READ'],
  summary: 'List the feedback of a run',
  description: 'Newest first, with that of visitors of a chat. 404 for a run that the caller may not read.',
  params: RunParams,
  query: FeedbackQuery,
  response: { kind: 'json', bodies: { 200: FeedbackList } },
  errors: [400, 404],
  needs: { findRun: runFinder, feedback: runFeedbackStore },

  async handle({ params: { id: runId }, query, permissions }, { findRun, feedback }) {
    const kinds = readableKinds(await permissions());
    // At the same time: a page takes two round trips.
    const [run, page] = await Promise.all([findRun(runId), feedbackPage(feedback, { runId, kinds }, query)]);
    if (!run || !kinds.includes(run.kind)) throw notFound('Run');
    return page;
  },
});

export const handler = toLambda(listFeedbackOfRun);
