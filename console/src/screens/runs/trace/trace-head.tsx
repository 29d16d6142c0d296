import { useMemo } from 'react';
import { Button } from '../../../ui/forms/button.tsx';
import { count, counted } from '../../../ui/values/format.ts';
import { failureIn, type Trace } from './span-tree.ts';
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
  const failure = useMemo(() => failureIn(spans), [spans]);
  return (
    <div className="trace-head">
      <h2 id="trace">Trace</h2>
      <span className="help">
        {counted(spans.length, 'span')}
        {shown < spans.length && `, ${count(shown)} shown`}
        {truncated && '. More are left out: a trace has 5,000 at most'}
      </span>
      <span className="actions">
        {failure && (
          <Button look="quiet" onPress={() => onShow(failure.spanId)}>
            Go to failure
          </Button>
        )}
        {spans.length > 2 && (
          <Button look="quiet" onPress={() => onClose(closed.size > 0 ? new Set<string>() : closable(trace))}>
            {closed.size > 0 ? 'Expand all' : 'Collapse all'}
          </Button>
        )}
      </span>
    </div>
  );
}
