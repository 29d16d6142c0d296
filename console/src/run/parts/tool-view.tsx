import { type ReactNode, useState } from 'react';
import { sharedTexts } from '../../texts/shared.ts';
import { FailureNotice } from '../../ui/loading/failure.tsx';
import { StatusLabel } from '../../ui/status.tsx';
import { durationText } from '../../ui/values/format.ts';
import { Value } from '../../ui/values/value.tsx';
import type { ToolPart } from './parts.ts';

/** A call of a tool, with what happened inside of it. */
export function ToolCallView({ part, children }: { part: ToolPart; children: ReactNode }) {
  const { name, input, written, output, error, durationMs } = part;
  const [isOpen, setOpen] = useState(false);
  const isOver = durationMs !== undefined;
  return (
    <details className="run-part" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <bdi>{name}</bdi>{' '}
        <StatusLabel of={isOver ? (error === undefined ? 'completed' : 'failed') : 'running'} />{' '}
        <span className="help">{durationText(durationMs)}</span>
      </summary>
      {isOpen && (
        <>
          <Labelled title={sharedTexts.input} value={input ?? written} />
          {children}
          {error !== undefined && <FailureNotice error={new Error(error)} />}
          {output !== undefined && <Labelled title={sharedTexts.output} value={output} />}
        </>
      )}
    </details>
  );
}

export const Labelled = ({ title, value }: { title: string; value: unknown }) => (
  <div>
    <p className="label">{title}</p>
    <Value of={value} label={title} />
  </div>
);
