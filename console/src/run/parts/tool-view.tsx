import { type ReactNode, useState } from 'react';
import { sharedTexts } from '../../texts/shared.ts';
import { Failure } from '../../ui/loading/failure.tsx';
import { Status } from '../../ui/status.tsx';
import { duration } from '../../ui/values/format.ts';
import { Value } from '../../ui/values/value.tsx';
import type { ToolPart } from './parts.ts';

/** A call of a tool, with what happened inside of it. */
export function Tool({ part, children }: { part: ToolPart; children: ReactNode }) {
  const { name, input, written, output, error, durationMs } = part;
  const [isOpen, setOpen] = useState(false);
  const isOver = durationMs !== undefined;
  return (
    <details className="run-part" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <bdi>{name}</bdi> <Status of={isOver ? (error === undefined ? 'completed' : 'failed') : 'running'} />{' '}
        <span className="help">{duration(durationMs)}</span>
      </summary>
      {isOpen && (
        <>
          <Labelled title={sharedTexts.input} value={input ?? written} />
          {children}
          {error !== undefined && <Failure error={new Error(error)} />}
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
