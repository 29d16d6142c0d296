import { runFeedbackStore } from '../../shared/domain/feedback/run-feedback-store.ts';
import { listKinds } from '../../shared/domain/runs/kind-permissions.ts';
import { runFinder } from '../../shared/execution/listed-runs/find-run.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { RunParams, readsRuns } from '../runs/schemas.ts';
import { feedbackPage } from './pages.ts';
import { FeedbackList, FeedbackQuery } from './schemas.ts';

export const listFeedbackOfRun = defineEndpoint({
  id: 'run-feedback.list-of-run',
  method: 'GET',
  path: '/v1/runs/{id}/feedback',
  permission: readsRuns,
  summary: 'List the feedback of a run',
  description: 'Newest first, with that of visitors of a chat. 404 for a run that the caller may not read.',
  params: RunParams,
  query: FeedbackQuery,
  response: { kind: 'json', bodies: { 200: FeedbackList } },
  errors: [400, 404],
  needs: { findRun: runFinder, feedback: runFeedbackStore },

  async handle({ params: { id: runId }, query, permissions }, { findRun, feedback }) {
    const kinds = listKinds(await permissions(), 'READ');
    // At the same time: a page takes two round trips.
    const [page] = await Promise.all([
      feedbackPage(feedback, { runId, kinds }, query),
      findRun(runId, kinds),
    ]);
    return page;
  },
});

export const handler = toLambda(listFeedbackOfRun);
