import type { ReactNode } from 'react';
import { runViewTexts } from '../../texts/run-view.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { valueText } from '../../texts/values.ts';
import { StatusLabel } from '../../ui/status.tsx';
import { Value } from '../../ui/values/value.tsx';
import { LabelledAttempts } from './attempts.tsx';
import { usageSummary } from './facts.ts';
import type { PartOf, RunPart, ToolPart, TurnPart } from './parts.ts';
import { ToolCallView } from './tool-view.tsx';

interface Props {
  parts: readonly RunPart[];
  /** Shows turns, and what the run itself tells the model, too. */
  isWhole?: boolean;
  /** What happened inside of a tool call. */
  inside?: (call: ToolPart) => ReactNode;
}

/** What an agent, or a step of a flow, did, in its order. */
export const PartsView = ({ parts, isWhole = false, inside }: Props) =>
  parts.map((part) => (
    <PartView key={`${part.kind} ${part.id}`} part={part} isWhole={isWhole} inside={inside} />
  ));

type One = { part: RunPart; isWhole: boolean; inside: Props['inside'] };

function PartView({ part, isWhole, inside }: One) {
  switch (part.kind) {
    case 'turn':
      return isWhole ? <Turn part={part} /> : null;
    case 'note':
      return isWhole ? <Note part={part} /> : null;
    case 'text':
      return part.text ? <Text text={part.text} /> : null;
    case 'reasoning':
      return part.text ? (
        <details className="run-part">
          <summary>{sharedTexts.reasoning}</summary>
          <Value of={part.text} label={sharedTexts.reasoning} />
        </details>
      ) : null;
    case 'tool':
      return <ToolCallView part={part}>{inside?.(part)}</ToolCallView>;
    case 'decision':
      return (
        <p className="help">
          {decisions[part.decision] ?? part.decision}
          {part.reason && (
            <>
              {': '}
              <bdi>{part.reason}</bdi>
            </>
          )}
        </p>
      );
  }
}

const decisions: Record<string, string> = {
  approved: runViewTexts.callApproved,
  denied: runViewTexts.callDenied,
  timeout: runViewTexts.callTimedOut,
};

/** The browser lays out so many characters without a pause. */
const wholeText = 20_000;

const Text = ({ text }: { text: string }) =>
  text.length > wholeText ? (
    <Value of={text} label={runViewTexts.answer} />
  ) : (
    <p className="run-text" dir="auto">
      {text}
    </p>
  );

const Turn = ({ part: { number, outcome } }: { part: TurnPart }) => (
  <>
    <div className="run-turn">
      <h3>{runViewTexts.turn(number)}</h3>
      {outcome && (
        <>
          <span>{usageSummary(outcome)}</span>
          <span>{runViewTexts.endedBy(valueText(outcome.stopReason))}</span>
          {outcome.fallback && <StatusLabel of={runViewTexts.fallback(outcome.fallback)} />}
        </>
      )}
    </div>
    <LabelledAttempts attempts={outcome?.attempts} />
  </>
);

/** What the run itself tells the model, by the name of its event. */
const messages: Record<string, string> = {
  reflection: runViewTexts.reflectionMessage,
  'required-tool': runViewTexts.requiredToolMessage,
  correction: runViewTexts.correctionMessage,
  caller: runViewTexts.callerMessage,
  compaction: runViewTexts.summaryOfOlderMessages,
};

function Note({ part: { name, value } }: { part: PartOf<'note'> }) {
  const { text, summary } = (typeof value === 'object' && value !== null ? value : {}) as {
    text?: unknown;
    summary?: unknown;
  };
  return (
    <details className="run-part">
      <summary>
        <bdi>{messages[name] ?? name}</bdi>
      </summary>
      <Value of={text ?? summary ?? value} label={messages[name] ?? name} />
    </details>
  );
}
