import type { FlowRunStep } from '../../../run/flow-run.ts';
import { editorTexts } from '../../../texts/flow-editor.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { Value } from '../../../ui/values/value.tsx';
import { DataHead } from '../data/data-head.tsx';
import { RunUpTo } from '../data/run-up-to.tsx';
import { useRunUpTo } from '../data/use-run-up-to.ts';
import { type StepDataNow, useStepData } from '../data/use-step-data.ts';
import { estimatedTokens } from '../prices/tokens.ts';
import { previewIds, previewSteps, promptTexts } from '../steps/prompt-texts.ts';
import type { Step } from '../steps/steps.ts';
import { Trials } from './trials.tsx';

/** What the model will get for the sample record, and what it makes of that. */
export function PromptTest({ step }: { step: Step }) {
  const data = useStepData(step.id, previewSteps);
  const texts = promptTexts(step);
  const rendered = (role: 'system' | 'user') => data.run?.steps.find(({ id }) => id === previewIds[role]);
  const tokensOf = (role: 'system' | 'user') => {
    const output = rendered(role)?.output;
    return estimatedTokens(typeof output === 'string' && texts[role] !== '' ? output : texts[role]);
  };
  const tokens = { system: tokensOf('system'), user: tokensOf('user') };
  return (
    <div className="prompt-test-content">
      <DataHead data={data} />
      {data.waitsFor.length > 0 && <Before data={data} />}
      <PromptPreview
        messages={(['system', 'user'] as const).flatMap((role) =>
          texts[role].trim() === ''
            ? []
            : [{ role, step: rendered(role), tokens: tokens[role], isWaiting: data.waitsFor.length > 0 }],
        )}
      />
      <Trials step={step} data={data} inputTokens={tokens.system + tokens.user} />
    </div>
  );
}

/** Steps before that have to run first. */
function Before({ data }: { data: StepDataNow }) {
  const last = data.waitsFor.at(-1) as Step;
  const running = useRunUpTo(last.id, data);
  return (
    <>
      <p className="note">{editorTexts.usesEarlierOutputs}</p>
      <RunUpTo step={last} data={{ ...data, waitsFor: data.waitsFor.slice(0, -1) }} running={running} />
    </>
  );
}

interface Message {
  role: 'system' | 'user';
  /** The run of the template that renders it. */
  step: FlowRunStep | undefined;
  tokens: number;
  isWaiting: boolean;
}

/** The messages as the model gets them. */
const PromptPreview = ({ messages }: { messages: readonly Message[] }) => (
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
