import type { FeedbackFilter, runFeedbackStore } from '../../shared/domain/feedback/run-feedback-store.ts';
import { invalidListCursor } from '../../shared/platform/data/lists/pages.ts';
import { shownFeedback } from './schemas.ts';

interface PageQuery {
  limit: number;
  cursor?: string | undefined;
}

/** @throws 400 for a cursor of another list. */
export async function feedbackPage(
  store: ReturnType<typeof runFeedbackStore>,
  filter: FeedbackFilter,
  { limit, cursor }: PageQuery,
) {
  const position = cursor === undefined ? undefined : Buffer.from(cursor, 'base64url').toString();
  if (position !== undefined && !/^feedback_[0-9a-z]{26}$/.test(position)) {
    throw invalidListCursor();
  }
  const { data, stoppedAt } = await store.list(filter, { limit, cursor: position });
  const nextCursor = stoppedAt === undefined ? null : Buffer.from(stoppedAt).toString('base64url');
  return { data: data.map(shownFeedback), pagination: { nextCursor, hasMore: nextCursor !== null, limit } };
}
