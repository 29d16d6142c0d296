import { memo } from 'react';
import { warningWords } from '../../../run/warnings.tsx';
import { runTexts } from '../../../texts/runs.ts';
import { Icon } from '../../../ui/icon.tsx';
import { StatusMark } from '../../../ui/status.tsx';
import { durationText } from '../../../ui/values/format.ts';
import { WarningMark } from '../../../ui/warning-mark.tsx';
import { shownWarnings } from '../content/span-content.ts';
import { spanName, spanStatus } from './span-name.ts';
import type { Span, SpanRow } from './span-tree.ts';
import { spanBar, type TimeScale } from './time-scale.ts';

interface Props {
  id: string;
  index: number;
  /** In pixels. */
  top: number;
  row: SpanRow;
  scale: TimeScale;
  isSelected: boolean;
  onSelect: (spanId: string) => void;
  onToggle: (spanId: string) => void;
}

/** One span: its place in the tree, and when it ran. */
export const WaterfallRow = memo(function WaterfallRow(props: Props) {
  const { id, index, top, row, scale, isSelected, onSelect, onToggle } = props;
  const { span, level, place, siblings, hasChildren, isOpen } = row;
  return (
    // biome-ignore lint/a11y/useSemanticElements: rows of a tree grid have their own places
    // biome-ignore lint/a11y/useFocusableInteractive: the tree grid has the focus
    // biome-ignore lint/a11y/useKeyWithClickEvents: and the keys
    <div
      id={id}
      role="row"
      className={`waterfall-row ${span.status}`}
      aria-rowindex={index + 2}
      aria-level={level}
      aria-posinset={place}
      aria-setsize={siblings}
      aria-expanded={hasChildren ? isOpen : undefined}
      aria-selected={isSelected}
      style={{ transform: `translateY(${top}px)` }}
      onClick={() => onSelect(span.spanId)}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: as above */}
      <div
        role="gridcell"
        className="waterfall-name"
        style={{ paddingInlineStart: `${0.35 + Math.min(level - 1, 12) * 0.95}rem` }}
      >
        <Twisty hasChildren={hasChildren} isOpen={isOpen} onToggle={() => onToggle(span.spanId)} />
        <span className={`span-kind ${span.kind}`}>{span.kind}</span>
        <bdi>{spanName(span)}</bdi>
        {span.status !== 'ok' && <StatusMark of={spanStatus(span)} />}
        {span.events.length > 0 && <WarningMark words={warningWords(shownWarnings(span))} />}
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: as above */}
      <div role="gridcell" className="waterfall-duration">
        {durationText(span.durationMs) || '…'}
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: as above */}
      <div
        role="gridcell"
        className="waterfall-bars"
        aria-label={runTexts.beganAfter(durationText(Date.parse(span.startedAt) - scale.start))}
      >
        <Bar span={span} scale={scale} />
      </div>
    </div>
  );
});

function Bar({ span, scale }: Pick<Props, 'scale'> & { span: Span }) {
  const { from, length } = spanBar(span, scale);
  return (
    <span
      className={`waterfall-bar ${span.kind} ${span.status}`}
      style={{ left: `${from * 100}%`, width: `max(3px, ${length * 100}%)` }}
    />
  );
}

const Twisty = ({
  hasChildren,
  isOpen,
  onToggle,
}: Pick<SpanRow, 'hasChildren' | 'isOpen'> & { onToggle: () => void }) =>
  hasChildren ? (
    // biome-ignore lint/a11y/noStaticElementInteractions: the arrow keys do the same
    // biome-ignore lint/a11y/useKeyWithClickEvents: as above
    <span
      className="twisty"
      data-open={isOpen || undefined}
      onClick={(event) => {
        event.stopPropagation();
        onToggle();
      }}
    >
      <Icon name="chevronRight" size={14} />
    </span>
  ) : (
    <span className="twisty" />
  );
