import type { FollowedAgentRun } from '../../../run/agents/agent-run.ts';

/** What the answers of a conversation took together. */
export interface ConversationTotals {
  answers: number;
  durationMs: number;
  tokens: { input: number; output: number };
  /** As decimal text; null if the price of one is not known. */
  cost: string | null;
}

export function conversationTotals(runs: readonly FollowedAgentRun[]): ConversationTotals {
  const ends = runs.flatMap(({ end }) => end ?? []);
  const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
  return {
    answers: ends.length,
    durationMs: sum(ends.map(({ durationMs = 0 }) => durationMs)),
    tokens: {
      input: sum(ends.map(({ tokens }) => tokens?.input ?? 0)),
      output: sum(ends.map(({ tokens }) => tokens?.output ?? 0)),
    },
    cost: ends.some(({ cost }) => cost === null)
      ? null
      : String(sum(ends.map(({ cost }) => Number(cost ?? 0)))),
  };
}
