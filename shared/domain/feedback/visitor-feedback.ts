import type { RunFeedback } from './run-feedback.ts';

/** What a chat belongs to. */
export interface ChatTarget {
  kind: 'flow' | 'agent';
  id: string;
}

interface Given {
  type: 'upvote' | 'downvote' | 'copy' | 'csat' | 'nps';
  rating: number | null;
  comment: string | null;
}

const csatMax = 5;
const npsMax = 10;

/** A visitor's feedback as that of a run: a vote as its rating, csat (1 to 5) and nps (0 to 10) as its score. */
export function ofVisitor({ kind, id }: ChatTarget, { type, rating, comment }: Given) {
  const judged: Pick<RunFeedback, 'rating' | 'score' | 'label'> =
    type === 'upvote'
      ? { rating: 1 }
      : type === 'downvote'
        ? { rating: -1 }
        : { label: type, ...(rating !== null && { score: scoreOf(type, rating) }) };
  return {
    source: 'client' as const,
    kind,
    ...(kind === 'flow' ? { flowId: id } : { agentId: id }),
    ...judged,
    ...(comment && { comment }),
  };
}

const scoreOf = (type: Given['type'], rating: number) =>
  type === 'csat' ? (rating - 1) / (csatMax - 1) : rating / npsMax;
