import { runViewTexts } from '../../texts/run-view.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { StatusLabel } from '../../ui/status.tsx';
import { durationText } from '../../ui/values/format.ts';
import type { Attempts } from './events.ts';
import '../../style/run.css';

type Type = Attempts[number]['type'];

const names: Record<Type, string> = {
  initial: runViewTexts.asConfigured,
  retry: runViewTexts.again,
  model: runViewTexts.anotherModel,
  provider: runViewTexts.anotherProvider,
  message: runViewTexts.messageOfFallback,
  'run-retry': runViewTexts.againInRetryOfRun,
};

/** What was tried, in its order, and why it was not enough. */
const AttemptList = ({ attempts }: { attempts: Attempts }) => (
  <ol className="run-attempts" aria-label={sharedTexts.attempts}>
    {attempts.map(({ type, model, delayMs, durationMs, status, error }, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: attempts never change their place
      <li key={index}>
        {names[type]}
        {model && (
          <>
            {': '}
            <bdi>{model}</bdi>
          </>
        )}
        {delayMs !== undefined && runViewTexts.later(durationText(delayMs))}{' '}
        <StatusLabel of={status === 'empty' ? 'empty-output' : status} />{' '}
        <span className="help">{durationText(durationMs)}</span>
        {error && (
          <p className="problem">
            <bdi>{error}</bdi>
          </p>
        )}
      </li>
    ))}
  </ol>
);

export const LabelledAttempts = ({ attempts }: { attempts: Attempts | undefined }) =>
  attempts && (
    <div>
      <p className="label">{sharedTexts.attempts}</p>
      <AttemptList attempts={attempts} />
    </div>
  );

/** `3 attempts`, if there was more than one. */
export const attemptsText = (attempts: Attempts | null | undefined) =>
  attempts ? runViewTexts.attempts(attempts.length) : '';

/** In a table: how a step ended, and on request what was tried. */
export const StatusWithAttempts = ({
  status,
  attempts,
}: {
  status: string;
  attempts: Attempts | null | undefined;
}) => (
  <>
    <StatusLabel of={status} />
    {attempts && (
      <details>
        <summary>{attemptsText(attempts)}</summary>
        <AttemptList attempts={attempts} />
      </details>
    )}
  </>
);
