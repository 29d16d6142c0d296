import type { FlowRunStep } from '../../../run/flow-run.ts';
import { editorTexts } from '../../../texts/flow-editor.ts';
import { sharedTexts } from '../../../texts/shared.ts';
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
    {messages.length === 0 && <p className="help">{editorTexts.writePromptFirst}</p>}
    {messages.map(({ role, step, tokens, isWaiting }) => {
      const label = role === 'system' ? sharedTexts.systemMessage : sharedTexts.userMessage;
      return (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls
        <div key={role} role="group" aria-label={label} className="prompt-message">
          <p className="prompt-role">
            <span className="label">{label}</span>{' '}
            <span className="help">{editorTexts.tokensEstimated(tokens)}</span>
          </p>
          {step?.status === 'failed' ? (
            <p className="problem">{step.error}</p>
          ) : step?.status === 'completed' ? (
            <Value of={step.output} label={label} />
          ) : (
            <p className="help">{isWaiting ? editorTexts.filledInLater : editorTexts.notKnownYet}</p>
          )}
        </div>
      );
    })}
  </div>
);
