import { useRef } from 'react';
import { useApi } from '../../api/api.ts';
import { runViewTexts } from '../../texts/run-view.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { Button } from '../../ui/forms/button.tsx';
import { Time } from '../../ui/values/time.tsx';
import { Value } from '../../ui/values/value.tsx';
import { ToolOutput } from '../tool-output.tsx';
import type { Wait } from './agent-run.ts';
import type { RunEventSource } from './open-agent-run.ts';
import type { LiveRun } from './use-agent-run.ts';

/** The questions that a run waits for. Each answer continues the run when it is the last. */
export function AgentWaits({ live }: { live: LiveRun }) {
  const api = useApi();
  const { agentId, run, isSending: isBusy, send } = live;
  const { executionId, waits } = run;
  const box = useRef<HTMLDivElement>(null);
  if (!executionId) return null;
  const params = { id: agentId };
  /** The button that was pressed goes away with its question: the focus stays near. */
  const sendFrom = (open: RunEventSource) => {
    box.current?.focus({ preventScroll: true });
    return send(open);
  };
  const decide = (approvalId: string, decision: 'approved' | 'denied') => {
    const body = { executionId, approvalId, decision };
    return sendFrom((signal) => api.agentRuns.approve.stream({ params, body, signal }));
  };
  const resume = (toolCallId: string, output: unknown) => {
    const body = { executionId, toolOutputs: { [toolCallId]: output } };
    return sendFrom((signal) => api.agentRuns.resume.stream({ params, body, signal }));
  };
  return (
    <div ref={box} tabIndex={-1}>
      {waits.map((wait) => (
        <section key={wait.toolCallId} className="run-wait" aria-label={runViewTexts.waitsFor(wait.toolName)}>
          <p role="status">
            {questionOf(wait)(
              <bdi>
                <strong>{wait.toolName}</strong>
              </bdi>,
            )}{' '}
            {wait.until && <span className="help">{runViewTexts.waitEnds(<Time at={wait.until} />)}</span>}
          </p>
          <Value of={wait.parameters} label={sharedTexts.input} />
          {wait.approvalId ? (
            <div className="actions">
              <Button
                look="primary"
                isDisabled={isBusy}
                onPress={() => decide(wait.approvalId ?? '', 'approved')}
              >
                {runViewTexts.allow}
              </Button>
              <Button isDisabled={isBusy} onPress={() => decide(wait.approvalId ?? '', 'denied')}>
                {runViewTexts.deny}
              </Button>
            </div>
          ) : (
            <ToolOutput
              tool={wait.toolName}
              isBusy={isBusy}
              onSend={(output) => resume(wait.toolCallId, output)}
            />
          )}
        </section>
      ))}
    </div>
  );
}

const questionOf = ({ approvalId }: Wait) =>
  approvalId ? runViewTexts.mayAgentCall : runViewTexts.agentWaitsForOutputOf;
