import { Failure } from '../ui/failure.tsx';
import { count, dollars, duration } from '../ui/format.ts';
import { Status } from '../ui/status.tsx';
import { Value } from '../ui/value.tsx';
import type { Part, RunView, ToolPart } from './agent-events.ts';

/** What an agent did, in its order: turns, thoughts, texts, calls of tools. */
export const AgentParts = ({ run, hasTurns = false }: { run: RunView; hasTurns?: boolean }) =>
  run.parts.map((part) => <PartView key={`${part.kind} ${part.id}`} {...{ part, hasTurns }} />);

function PartView({ part, hasTurns }: { part: Part; hasTurns: boolean }) {
  switch (part.kind) {
    case 'turn':
      return hasTurns ? <Turn part={part} /> : null;
    case 'text':
      return part.text ? <Text text={part.text} /> : null;
    case 'reasoning':
      return part.text ? (
        <details className="agents-part">
          <summary>Reasoning</summary>
          <Value of={part.text} label="Reasoning" />
        </details>
      ) : null;
    case 'tool':
      return <Tool part={part} />;
    case 'decision':
      return (
        <p className="help">
          The call was {part.decision === 'timeout' ? 'denied: nobody answered in time' : part.decision}
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

/** The browser lays out so many characters without a pause. */
const wholeText = 20_000;

const Text = ({ text }: { text: string }) =>
  text.length > wholeText ? (
    <Value of={text} label="Answer" />
  ) : (
    <p className="agents-text" dir="auto">
      {text}
    </p>
  );

const Turn = ({ part: { number, outcome } }: { part: Extract<Part, { kind: 'turn' }> }) => (
  <div className="agents-turn">
    <h3>Turn {number}</h3>
    {outcome && (
      <>
        <span>{count(outcome.tokens.input)} tokens in</span>
        <span>{count(outcome.tokens.output)} out</span>
        <span>{outcome.cost === null ? 'no known price' : dollars(outcome.cost)}</span>
        <span>ended by {outcome.stopReason.replaceAll('_', ' ')}</span>
        {outcome.fallback && <Status of={`fallback: ${outcome.fallback}`} />}
      </>
    )}
  </div>
);

function Tool({ part }: { part: ToolPart }) {
  const { name, input, written, output, error, durationMs } = part;
  const isOver = durationMs !== undefined;
  return (
    <details className="agents-part">
      <summary>
        <bdi>{name}</bdi> <Status of={isOver ? (error === undefined ? 'completed' : 'failed') : 'running'} />{' '}
        <span className="help">{duration(durationMs)}</span>
      </summary>
      <h4>Input</h4>
      <Value of={input ?? written} label="Input" />
      {error !== undefined && <Failure error={new Error(error)} />}
      {output !== undefined && (
        <>
          <h4>Output</h4>
          <Value of={output} label="Output" />
        </>
      )}
    </details>
  );
}

/** What the answer took, and why it failed if it did. */
export function RunEnd({ run: { end } }: { run: RunView }) {
  if (!end) return null;
  const { error, stopReason, tokens, cost, durationMs } = end;
  return (
    <>
      {error && <Failure error={new Error(error)} />}
      {tokens && (
        <p className="help">
          {count(tokens.input)} tokens in, {count(tokens.output)} out ·{' '}
          {cost === null || cost === undefined ? 'no known price' : dollars(cost)} · {duration(durationMs)}
          {stopReason && stopReason !== 'end_turn' && ` · ${stopReason.replaceAll('_', ' ')}`}
        </p>
      )}
    </>
  );
}
