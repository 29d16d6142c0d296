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
