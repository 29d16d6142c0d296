import { useSearch } from '@tanstack/react-router';
import { type FormEvent, useCallback, useState } from 'react';
import { type AgentRun, textOf } from '../../run/agent-run.ts';
import { LeaveQuestion } from '../../ui/dialogs/leave-question.tsx';
import { Button } from '../../ui/forms/button.tsx';
import { TextField } from '../../ui/forms/field.tsx';
import { Empty } from '../../ui/loading/loaded.tsx';
import { AgentPage, useAgent } from './agent-page.tsx';
import { ChatAnswer } from './chat-answer.tsx';
import { ChatOptions, noOptions } from './chat-options.tsx';

interface Turn {
  id: number;
  question: string;
}

/** Tries an agent out: a conversation that this page keeps, and that ends with it. */
export function AgentChat() {
  const { id } = useAgent();
  const [turns, setTurns] = useState<readonly Turn[]>([]);
  const [answers, setAnswers] = useState<Readonly<Record<number, AgentRun>>>({});
  const [isBusy, setBusy] = useState(false);
  // A link may bring the first question.
  const { ask }: { ask?: unknown } = useSearch({ strict: false });
  const suggested = ask === undefined ? '' : String(ask);
  const [text, setText] = useState(suggested);
  const [options, setOptions] = useState(noOptions);
  const keep = useCallback(
    (turn: number, answer: AgentRun) => setAnswers((before) => ({ ...before, [turn]: answer })),
    [],
  );
  function send(event?: FormEvent) {
    event?.preventDefault();
    if (isBusy || text.trim() === '' || options.problem) return;
    setTurns([...turns, { id: turns.length, question: text }]);
    setText('');
  }
  return (
    <AgentPage>
      <div className="agents-chat">
        <ChatOptions options={options} onChange={setOptions} />
        {turns.length === 0 && (
          <Empty title="Ask the agent something">
            <p>You see each answer as it is written, the tools that the agent calls, and what they cost.</p>
          </Empty>
        )}
        {turns.map((turn, index) => (
          <ChatAnswer
            key={turn.id}
            agentId={id}
            question={turn.question}
            options={options}
            before={turns.slice(0, index).flatMap((each) => messagesOf(each, answers[each.id]))}
            onChange={(answer) => keep(turn.id, answer)}
            onBusy={setBusy}
          />
        ))}
        <form className="agents-composer" onSubmit={send}>
          <TextField
            label="Message"
            lines={2}
            value={text}
            onChange={setText}
            help="Enter sends, Shift and Enter begin a new line"
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || event.shiftKey) return;
              event.preventDefault();
              send();
            }}
          />
          <div className="actions">
            <Button type="submit" look="primary" isDisabled={isBusy || text.trim() === ''}>
              Send
            </Button>
            {turns.length > 0 && (
              <Button look="quiet" isDisabled={isBusy} onPress={() => setTurns([])}>
                New chat
              </Button>
            )}
          </div>
        </form>
        <LeaveQuestion isChanged={isBusy || (text.trim() !== '' && text !== suggested)}>
          The conversation ends with this screen, and an answer that is under way is cancelled. Answers stay
          in the runs.
        </LeaveQuestion>
      </div>
    </AgentPage>
  );
}

/** Nothing of a question that the API refused: the agent never got it. */
function messagesOf({ question }: Turn, answer: AgentRun | undefined) {
  if (!answer?.executionId) return [];
  const content = textOf(answer);
  return [
    { role: 'user' as const, content: question },
    ...(content ? [{ role: 'assistant' as const, content }] : []),
  ];
}
