import { useSearch } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useCallback, useState } from 'react';
import type { AgentRun } from '../../run/agent-run.ts';
import { factsOf } from '../../run/facts.ts';
import { playgroundTexts } from '../../texts/playground.ts';
import { LeaveQuestion } from '../../ui/dialogs/leave-question.tsx';
import { Button } from '../../ui/forms/button.tsx';
import { Empty } from '../../ui/loading/loaded.tsx';

import { AgentPage, useAgent } from './agent-page.tsx';
import { Composer } from './composer.tsx';
import { messagesOf, type Turn } from './conversation.ts';
import { PlaygroundAnswer } from './playground-answer.tsx';
import { inputsProblem, noOptions } from './playground-options.tsx';
import { PlaygroundSettings } from './playground-settings.tsx';
import { conversationTotals } from './playground-totals.ts';

/** Tries an agent out: its configuration, beside a conversation that ends with this page. */
export function Playground() {
  const { id } = useAgent();
  const [turns, setTurns] = useState<readonly Turn[]>([]);
  const [answers, setAnswers] = useState<Readonly<Record<number, AgentRun>>>({});
  const [isBusy, setBusy] = useState(false);
  const [isChanged, setChanged] = useState(false);
  // A link may bring the first question.
  const { ask }: { ask?: unknown } = useSearch({ strict: false });
  const suggested = ask === undefined ? '' : String(ask);
  const [text, setText] = useState(suggested);
  const [options, setOptions] = useState(noOptions);
  const keep = useCallback(
    (turn: number, answer: AgentRun) => setAnswers((before) => ({ ...before, [turn]: answer })),
    [],
  );
  const isIdle = isBusy || text.trim() === '' || inputsProblem(options) !== undefined;
  function send(event?: FormEvent) {
    event?.preventDefault();
    if (isIdle) return;
    setTurns([...turns, { id: turns.length, question: text }]);
    setText('');
  }
  function restart() {
    setTurns([]);
    setAnswers({});
  }
  return (
    <AgentPage>
      <div className="agents-playground">
        <PlaygroundSettings
          {...{ agentId: id, options, isChanged }}
          onChange={setOptions}
          onChanged={setChanged}
        />
        <section className="agents-chat" aria-label={playgroundTexts.conversation}>
          <ConversationHead answers={Object.values(answers)}>
            {turns.length > 0 && (
              <Button look="quiet" isDisabled={isBusy} onPress={restart}>
                {playgroundTexts.newChat}
              </Button>
            )}
          </ConversationHead>
          {turns.length === 0 && (
            <Empty title={playgroundTexts.sendMessage}>
              <p>{playgroundTexts.aboutAnswers}</p>
            </Empty>
          )}
          {turns.map((turn, index) => (
            <PlaygroundAnswer
              key={turn.id}
              agentId={id}
              question={turn.question}
              options={options}
              before={turns.slice(0, index).flatMap((each) => messagesOf(each, answers[each.id]))}
              onChange={(answer) => keep(turn.id, answer)}
              onBusy={setBusy}
            />
          ))}
          <Composer {...{ text, setText, send, isIdle }} />
        </section>
        <LeaveQuestion isChanged={isBusy || isChanged || (text.trim() !== '' && text !== suggested)}>
          {playgroundTexts.conversationEnds}
        </LeaveQuestion>
      </div>
    </AgentPage>
  );
}

function ConversationHead({ answers, children }: { answers: readonly AgentRun[]; children: ReactNode }) {
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
