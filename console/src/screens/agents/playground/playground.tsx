import { useSearch } from '@tanstack/react-router';
import { type FormEvent, useCallback, useState } from 'react';
import type { FollowedAgentRun } from '../../../run/agents/agent-run.ts';
import { playgroundTexts } from '../../../texts/playground.ts';
import { LeaveQuestion } from '../../../ui/dialogs/leave-question.tsx';
import { Button } from '../../../ui/forms/button.tsx';
import { TextField } from '../../../ui/forms/field.tsx';
import { useMedia } from '../../../ui/use-media.ts';
import { AgentPage, useAgent } from '../parts/agent-page.tsx';
import type { PlaygroundTurn } from './conversation.ts';
import { PlaygroundConversation } from './playground-conversation.tsx';
import { inputsProblem, noOptions } from './playground-options.tsx';
import { PlaygroundSettings } from './playground-settings.tsx';

/** Tries an agent out: its configuration, beside a conversation that ends with this page. */
export function Playground() {
  const { id } = useAgent();
  const [turns, setTurns] = useState<readonly PlaygroundTurn[]>([]);
  const [answers, setAnswers] = useState<Readonly<Record<number, FollowedAgentRun>>>({});
  const [isBusy, setBusy] = useState(false);
  const [isChanged, setChanged] = useState(false);
  // A link may bring the first question.
  const { ask }: { ask?: unknown } = useSearch({ strict: false });
  const suggested = ask === undefined ? '' : String(ask);
  const [text, setText] = useState(suggested);
  const [options, setOptions] = useState(noOptions);
  const keep = useCallback(
    (turn: number, answer: FollowedAgentRun) => setAnswers((before) => ({ ...before, [turn]: answer })),
    [],
  );
  // As the style has it: beside each other, else one below the other.
  const isWide = useMedia('(width >= 1100px)');
  const isIdle = isBusy || text.trim() === '' || inputsProblem(options) !== undefined;
  function send(event?: FormEvent) {
    event?.preventDefault();
    if (isIdle) return;
    setTurns([...turns, { id: turns.length, question: text }]);
    setText('');
  }
  const settings = (
    <PlaygroundSettings
      key="settings"
      agentId={id}
      options={options}
      isChanged={isChanged}
      onChange={setOptions}
      onChanged={setChanged}
    />
  );
  const conversation = (
    <PlaygroundConversation
      key="conversation"
      agentId={id}
      options={options}
      turns={turns}
      answers={answers}
      isBusy={isBusy}
      onAnswer={keep}
      onBusy={setBusy}
      onRestart={() => {
        setTurns([]);
        setAnswers({});
      }}
    >
      <Composer text={text} setText={setText} send={send} isIdle={isIdle} />
    </PlaygroundConversation>
  );
  return (
    <AgentPage>
      <div className="agents-playground">{isWide ? [settings, conversation] : [conversation, settings]}</div>
      <LeaveQuestion isChanged={isBusy || isChanged || (text.trim() !== '' && text !== suggested)}>
        {playgroundTexts.conversationEnds}
      </LeaveQuestion>
    </AgentPage>
  );
}

interface Props {
  text: string;
  setText: (text: string) => void;
  send: (event?: FormEvent) => void;
  isIdle: boolean;
}

/** Where the next message is written. */
const Composer = ({ text, setText, send, isIdle }: Props) => (
  <form className="agents-composer" onSubmit={send}>
    <TextField
      label={playgroundTexts.message}
      lines={2}
      value={text}
      onChange={setText}
      help={playgroundTexts.enterSends}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || event.shiftKey) return;
        event.preventDefault();
        send();
      }}
    />
    <Button type="submit" look="primary" isDisabled={isIdle}>
      {playgroundTexts.send}
    </Button>
  </form>
);
