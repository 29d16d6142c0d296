import { useCallback, useEffect, useRef } from 'react';
import { useApi } from '../../../api/api.ts';
import { useAction } from '../../../api/queries.ts';
import type { FollowedAgentRun } from '../../../run/agents/agent-run.ts';
import { AgentRunView } from '../../../run/agents/agent-run-view.tsx';
import { useAgentRun } from '../../../run/agents/use-agent-run.ts';
import { playgroundTexts } from '../../../texts/playground.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { Button } from '../../../ui/forms/button.tsx';
import { Link } from '../../../ui/link.tsx';
import { FailureNotice } from '../../../ui/loading/failure.tsx';
import type { AnswerOptions } from './playground-options.tsx';

interface Props {
  agentId: string;
  question: string;
  before: readonly { role: 'user' | 'assistant'; content: string }[];
  options: AnswerOptions;
  onChange: (answer: FollowedAgentRun) => void;
  onBusy: (isBusy: boolean) => void;
}

/** A question and its answer, which begins when this is shown. */
export function PlaygroundAnswer({ agentId, question, before, options, onChange, onBusy }: Props) {
  const api = useApi();
  const live = useAgentRun(agentId);
  const { run, isSending, refused, lost, look, send } = live;
  const cancel = useAction('agent-runs.cancel', {
    changes: ['agents'],
    onSuccess: look,
  });
  const asked = useRef({ question, before, options });
  const end = useRef<HTMLDivElement>(null);
  const isRunning = run.executionId !== undefined && !run.end;
  const isOpen = isSending || (isRunning && !lost);

  const ask = useCallback(() => {
    const { version, inputs, clientTools } = asked.current.options;
    const messages = [...asked.current.before, { role: 'user' as const, content: asked.current.question }];
    const body = { messages, inputs, clientTools, options: { version } } as never;
    const params = { id: agentId };
    send((signal) => api.agentRuns.stream({ params, body, signal }));
  }, [agentId, api, send]);
  useEffect(ask, [ask]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: of the newest callbacks, only what they are told counts
  useEffect(() => onChange(run), [run]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: as above
  useEffect(() => onBusy(isOpen), [isOpen]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: follows the answer as it grows
  useEffect(() => {
    end.current?.scrollIntoView({ block: 'nearest' });
  }, [run]);

  const { executionId } = run;
  return (
    <>
      <p className="agents-said" dir="auto">
        {question}
      </p>
      <div className="agents-answer">
        <AgentRunView live={live} />
        {isSending && (
          <p role="status" className="help">
            {playgroundTexts.agentIsWorking}
          </p>
        )}
        {cancel.error && <FailureNotice error={cancel.error} />}
        <div className="actions">
          {refused && !executionId && !isSending && <Button onPress={ask}>{playgroundTexts.askAgain}</Button>}
          {isRunning && executionId && (
            <Button
              isPending={cancel.isPending}
              onPress={() => cancel.mutate({ params: { id: agentId, executionId } })}
            >
              {sharedTexts.cancel}
            </Button>
          )}
          {executionId && <Link to={`/runs/${executionId}`}>{sharedTexts.openRun}</Link>}
        </div>
        <div ref={end} className="agents-end" />
      </div>
    </>
  );
}
