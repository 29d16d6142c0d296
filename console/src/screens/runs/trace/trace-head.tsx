import { useMemo } from 'react';
import { runTexts } from '../../../texts/runs.ts';
import { Button } from '../../../ui/forms/button.tsx';
import { failedSpan, type Trace } from './span-tree.ts';
import { closable } from './use-closed.ts';

interface Props {
  trace: Trace;
  /** How many rows the tree has. */
  shown: number;
  closed: ReadonlySet<string>;
  onClose: (closed: ReadonlySet<string>) => void;
  onShow: (spanId: string) => void;
}

/** How large a trace is, and buttons for the tree. */
export function TraceHead({ trace, shown, closed, onClose, onShow }: Props) {
  const { spans, truncated } = trace;
  const failure = useMemo(() => failedSpan(spans), [spans]);
  return (
    <div className="trace-head">
      <h2 id="trace">{runTexts.trace}</h2>
      <span className="help">
        {runTexts.spans(spans.length)}
        {shown < spans.length && runTexts.shownCount(shown)}
        {truncated && runTexts.moreAreLeftOut}
      </span>
      <span className="actions">
        {failure && (
          <Button look="quiet" onPress={() => onShow(failure.spanId)}>
            {runTexts.goToFailure}
          </Button>
        )}
        {spans.length > 2 && (
          <Button look="quiet" onPress={() => onClose(closed.size > 0 ? new Set<string>() : closable(trace))}>
            {closed.size > 0 ? runTexts.expandAll : runTexts.collapseAll}
          </Button>
        )}
      </span>
    </div>
  );
}
