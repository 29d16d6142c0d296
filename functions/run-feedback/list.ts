import { runFeedbackStore } from '../../shared/domain/feedback/run-feedback-store.ts';
import { listKinds } from '../../shared/domain/runs/kind-permissions.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { readsRuns } from '../runs/schemas.ts';
import { feedbackPage } from './pages.ts';
import { AllFeedbackQuery, FeedbackList } from './schemas.ts';

export const listFeedback = defineEndpoint({
  id: 'run-feedback.list',
  method: 'GET',
  path: '/v1/feedback',
  permission: readsRuns,
  summary: 'List feedback',
  description:
    'Of all runs that the caller may read, newest first, and what visitors of chats sent: an upvote is the rating 1, a downvote −1, csat and nps are scores from 0 to 1 with that label, a copy has the label alone. Filters can be combined. A page may have fewer entries than `limit`, or none, while `hasMore` is true: continue with `nextCursor`.',
  query: AllFeedbackQuery,
  response: { kind: 'json', bodies: { 200: FeedbackList } },
  errors: [400],
  needs: { feedback: runFeedbackStore },

  async handle({ query, permissions }, { feedback }) {
    const { limit, cursor, ...filter } = query;
    const kinds = listKinds(await permissions(), 'READ');
    return feedbackPage(feedback, { ...filter, kinds }, { limit, cursor });
  },
});

export const handler = toLambda(listFeedback);
