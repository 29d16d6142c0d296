import { agentRunText, type FollowedAgentRun } from '../../../run/agents/agent-run.ts';

export interface PlaygroundTurn {
  id: number;
  question: string;
}

/** Nothing of a question that the API refused: the agent never got it. */
export function turnMessages({ question }: PlaygroundTurn, answer: FollowedAgentRun | undefined) {
  if (!answer?.executionId) return [];
  const content = agentRunText(answer);
  return [
    { role: 'user' as const, content: question },
    ...(content ? [{ role: 'assistant' as const, content }] : []),
  ];
}

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
