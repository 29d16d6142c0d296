import type { ReactNode } from 'react';
import type { AgentRun } from '../../../run/agents/agent-run.ts';
import { factsOf } from '../../../run/parts/facts.ts';
import { playgroundTexts } from '../../../texts/playground.ts';
import { Button } from '../../../ui/forms/button.tsx';
import { Empty } from '../../../ui/loading/loaded.tsx';
import { messagesOf, type Turn } from './conversation.ts';
import { PlaygroundAnswer } from './playground-answer.tsx';
import type { Options } from './playground-options.tsx';
import { conversationTotals } from './playground-totals.ts';

interface Props {
  agentId: string;
  options: Options;
  turns: readonly Turn[];
  /** By the ids of their turns. */
  answers: Readonly<Record<number, AgentRun>>;
  onAnswer: (turn: number, answer: AgentRun) => void;
  isBusy: boolean;
  onBusy: (isBusy: boolean) => void;
  onRestart: () => void;
  /** Where one writes the next message. */
  children: ReactNode;
}

/** What was asked and answered so far. */
export function Conversation({ agentId, options, turns, answers, children, ...props }: Props) {
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
          before={turns.slice(0, index).flatMap((each) => messagesOf(each, answers[each.id]))}
          onChange={(answer) => props.onAnswer(turn.id, answer)}
          onBusy={props.onBusy}
        />
      ))}
      {children}
    </section>
  );
}

function Head({ answers, children }: { answers: readonly AgentRun[]; children: ReactNode }) {
  const totals = conversationTotals(answers);
  return (
    <div className="agents-chat-head">
      <h2>{playgroundTexts.conversation}</h2>
      <span role="status" className="help">
        {totals.answers > 0 &&
          [playgroundTexts.answers(totals.answers), factsOf(totals)].filter(Boolean).join(' · ')}
      </span>
      {children}
    </div>
  );
}
