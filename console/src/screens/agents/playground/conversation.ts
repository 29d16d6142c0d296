import { type AgentRun, textOf } from '../../../run/agents/agent-run.ts';

export interface Turn {
  id: number;
  question: string;
}

/** Nothing of a question that the API refused: the agent never got it. */
export function messagesOf({ question }: Turn, answer: AgentRun | undefined) {
  if (!answer?.executionId) return [];
  const content = textOf(answer);
  return [
    { role: 'user' as const, content: question },
    ...(content ? [{ role: 'assistant' as const, content }] : []),
  ];
}
