import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useEffect, useId, useRef } from 'react';
import { runTexts } from '../../../texts/runs.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { durationText } from '../../../ui/values/format.ts';
import type { SpanRow } from './span-tree.ts';
import { axisTicks, type TimeScale } from './time-scale.ts';
import { WaterfallRow } from './waterfall-row.tsx';

const rowHeight = 32;

interface Props {
  rows: readonly SpanRow[];
  scale: TimeScale;
  selected: string | undefined;
  onSelect: (spanId: string) => void;
  onToggle: (spanId: string) => void;
}

/** The spans of a run as a tree, each with its bar on one axis of time. The page holds those in view only. */
export function Waterfall({ rows, scale, selected, onSelect, onToggle }: Props) {
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    overscan: 12,
    // The head is above the rows.
    scrollPaddingStart: rowHeight,
    scrollMargin: rowHeight,
  });
  const place = rows.findIndex(({ span }) => span.spanId === selected);
  // biome-ignore lint/correctness/useExhaustiveDependencies: one who scrolls away is not brought back by new spans
  useEffect(() => {
    if (place >= 0) virtual.scrollToIndex(place);
  }, [selected]);
  const shown = virtual.getVirtualItems();
  return (
    <div
      ref={box}
      className="waterfall"
      role="treegrid"
      aria-label={runTexts.trace}
      aria-rowcount={rows.length + 1}
      aria-activedescendant={shown.some(({ index }) => index === place) ? `${id}-${place}` : undefined}
      tabIndex={0}
      onKeyDown={(event) => onKey(event, rows, place, { onSelect, onToggle })}
    >
      <Head scale={scale} />
      {/* biome-ignore lint/a11y/useSemanticElements: rows of a tree grid have their own places */}
      <div role="rowgroup" className="waterfall-rows" style={{ height: virtual.getTotalSize() }}>
        {shown.map(({ index, start }) => {
          const row = rows[index] as SpanRow;
          return (
            <WaterfallRow
              key={row.span.spanId}
              id={`${id}-${index}`}
              index={index}
              top={start - rowHeight}
              row={row}
              scale={scale}
              isSelected={index === place}
              onSelect={onSelect}
              onToggle={onToggle}
            />
          );
        })}
      </div>
    </div>
  );
}

const Head = ({ scale: { lengthMs } }: { scale: TimeScale }) => (
  // biome-ignore lint/a11y/useSemanticElements: as above
  // biome-ignore lint/a11y/useFocusableInteractive: the tree grid has the focus
  <div role="row" aria-rowindex={1} className="waterfall-head">
    {/* biome-ignore lint/a11y/useSemanticElements: as above */}
    {/* biome-ignore lint/a11y/useFocusableInteractive: as above */}
    <div role="columnheader">{runTexts.span}</div>
    {/* biome-ignore lint/a11y/useSemanticElements: as above */}
    {/* biome-ignore lint/a11y/useFocusableInteractive: as above */}
    <div role="columnheader" className="waterfall-duration">
      {sharedTexts.duration}
    </div>
    {/* biome-ignore lint/a11y/useSemanticElements: as above */}
    {/* biome-ignore lint/a11y/useFocusableInteractive: as above */}
    <div role="columnheader" className="waterfall-axis" aria-label={runTexts.time}>
      {/* The last text would be cut off. */}
      {axisTicks(lengthMs)
        .filter((at) => at < lengthMs * 0.82)
        .map((at) => (
          <span key={at} style={{ left: `${(at / lengthMs) * 100}%` }}>
            {at === 0 ? '0' : durationText(at)}
          </span>
        ))}
    </div>
  </div>
);

type Acts = Pick<Props, 'onSelect' | 'onToggle'>;
const pageRows = 12;

function onKey(event: KeyboardEvent, rows: readonly SpanRow[], place: number, { onSelect, onToggle }: Acts) {
  if (event.metaKey || event.ctrlKey || event.altKey) return;
  const row = rows[place];
  const moves: Record<string, number> = {
    ArrowDown: place + 1,
    ArrowUp: place - 1,
    PageDown: place + pageRows,
    PageUp: place - pageRows,
    Home: 0,
    End: rows.length - 1,
  };
  let to = moves[event.key];
  if (event.key === 'ArrowRight' && row?.hasChildren) {
    if (row.isOpen) to = place + 1;
    else onToggle(row.span.spanId);
  } else if (event.key === 'ArrowLeft' && row) {
    if (row.isOpen) onToggle(row.span.spanId);
    else to = rows.findLastIndex(({ level }, index) => index < place && level < row.level);
  } else if (to === undefined) return;
  event.preventDefault();
  if (to === undefined) return;
  const next = rows[Math.min(rows.length - 1, Math.max(0, to))];
  if (next) onSelect(next.span.spanId);
}
