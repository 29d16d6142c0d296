import type { ReactNode } from 'react';
import type { FollowedAgentRun } from '../../../run/agents/agent-run.ts';
import { usageSummary } from '../../../run/parts/facts.ts';
import { playgroundTexts } from '../../../texts/playground.ts';
import { Button } from '../../../ui/forms/button.tsx';
import { Empty } from '../../../ui/loading/loaded.tsx';
import { conversationTotals, type PlaygroundTurn, turnMessages } from './conversation.ts';
import { PlaygroundAnswer } from './playground-answer.tsx';
import type { AnswerOptions } from './playground-options.tsx';

interface Props {
  agentId: string;
  options: AnswerOptions;
  turns: readonly PlaygroundTurn[];
  /** By the ids of their turns. */
  answers: Readonly<Record<number, FollowedAgentRun>>;
  onAnswer: (turn: number, answer: FollowedAgentRun) => void;
  isBusy: boolean;
  onBusy: (isBusy: boolean) => void;
  onRestart: () => void;
  /** Where one writes the next message. */
  children: ReactNode;
}

/** What was asked and answered so far. */
export function PlaygroundConversation({ agentId, options, turns, answers, children, ...props }: Props) {
  return (
    <section className="agents-chat" aria-label={playgroundTexts.conversation}>
      <Head answers={Object.values(answers)}>
        {turns.length > 0 && (
          <Button look="quiet" isDisabled={props.isBusy} onPress={props.onRestart}>
            {playgroundTexts.newChat}
          </Button>
        )}
      </Head>
      {turns.length === 0 && (
        <Empty title={playgroundTexts.sendMessage}>
          <p>{playgroundTexts.aboutAnswers}</p>
        </Empty>
      )}
      {turns.map((turn, index) => (
        <PlaygroundAnswer
          key={turn.id}
          agentId={agentId}
          question={turn.question}
          options={options}
          before={turns.slice(0, index).flatMap((each) => turnMessages(each, answers[each.id]))}
          onChange={(answer) => props.onAnswer(turn.id, answer)}
          onBusy={props.onBusy}
        />
      ))}
      {children}
    </section>
  );
}

function Head({ answers, children }: { answers: readonly FollowedAgentRun[]; children: ReactNode }) {
  const totals = conversationTotals(answers);
  return (
    <div className="agents-chat-head">
      <h2>{playgroundTexts.conversation}</h2>
      <span role="status" className="help">
        {totals.answers > 0 &&
          [playgroundTexts.answers(totals.answers), usageSummary(totals)].filter(Boolean).join(' · ')}
      </span>
      {children}
    </div>
  );
}
