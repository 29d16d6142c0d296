import type { FlowRunStep } from '../../../run/flow-run.ts';
import { count } from '../../../ui/values/format.ts';
import { Value } from '../../../ui/values/value.tsx';

interface Message {
  role: 'system' | 'user';
  /** The run of the template that renders it. */
  step: FlowRunStep | undefined;
  tokens: number;
  isWaiting: boolean;
}

/** The messages as the model gets them. */
export const PromptPreview = ({ messages }: { messages: readonly Message[] }) => (
  <div className="prompt-preview">
    {messages.length === 0 && <p className="help">Write a prompt to see it here.</p>}
    {messages.map(({ role, step, tokens, isWaiting }) => {
      const label = role === 'system' ? 'System message' : 'User message';
      return (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls
        <div key={role} role="group" aria-label={label} className="prompt-message">
          <p className="prompt-role">
            <span className="label">{label}</span>{' '}
            <span className="help">≈ {count(tokens)} tokens, estimated</span>
          </p>
          {step?.status === 'failed' ? (
            <p className="problem">{step.error}</p>
          ) : step?.status === 'completed' ? (
            <Value of={step.output} label={label} />
          ) : (
            <p className="help">
              {isWaiting ? 'Filled in when the steps before it have run' : 'Not known yet'}
            </p>
          )}
        </div>
      );
    })}
  </div>
);
