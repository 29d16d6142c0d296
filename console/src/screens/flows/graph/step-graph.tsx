import { type KeyboardEvent, useEffect, useMemo, useRef } from 'react';
import { editorTexts } from '../../../texts/flow-editor.ts';
import { Button } from '../../../ui/forms/button.tsx';
import { RunInputBox } from '../data/run-input.tsx';
import type { StepState } from '../data/step-states.ts';
import type { StepPlace } from '../steps/places.ts';
import type { Step } from '../steps/steps.ts';
import { GraphLines } from './graph-lines.tsx';
import { GraphNodes } from './graph-nodes.tsx';
import { type GraphLayout, layOutSteps, nextInDirection } from './layout.ts';
import { usePanAndZoom } from './pan-and-zoom.ts';
import { nodeSize } from './sizes.ts';
import '../../../style/graph.css';
import { Icon } from '../../../ui/icon.tsx';

interface Props {
  label: string;
  steps: readonly Step[];
  selectedId: string | undefined;
  onSelect: (id: string) => void;
  onInsert: (place: StepPlace) => void;
  /** Moves the selected step within its list. */
  onMove: (by: -1 | 1) => void;
  hasFinding: (id: string) => boolean;
  states: ReadonlyMap<string, StepState>;
}

const margin = 32;

/** The steps of a flow as a graph. Only what is in view is in the page. */
export function StepGraph({ label, steps, selectedId, onSelect, onInsert, onMove, ...shown }: Props) {
  const layout = useMemo(() => layOutSteps(steps), [steps]);
  const box = useRef<HTMLDivElement>(null);
  const { scale, zoom, fit, view, onPointerDown } = usePanAndZoom(box, layout, margin);
  const selected = layout.nodes.find(({ step }) => step.id === selectedId);
  useEffect(() => {
    if (selected && box.current) scrollTo(box.current, selected, scale);
  }, [selected, scale]);

  function onKeyDown(event: KeyboardEvent) {
    const direction = event.key.replace('Arrow', '').toLowerCase();
    if (event.altKey && (direction === 'up' || direction === 'down')) onMove(direction === 'up' ? -1 : 1);
    else if (!event.altKey && !event.ctrlKey && !event.metaKey) {
      const next = nextInDirection(layout, selectedId, direction);
      if (!next) return;
      onSelect(next.step.id);
    } else return;
    event.preventDefault();
  }

  return (
    <div className="graph">
      <div className="graph-tools">
        <Button look="quiet" aria-label={editorTexts.zoomOut} onPress={() => zoom(scale / 1.25)}>
          −
        </Button>
        <span className="graph-scale">{Math.round(scale * 100)} %</span>
        <Button look="quiet" aria-label={editorTexts.zoomIn} onPress={() => zoom(scale * 1.25)}>
          +
        </Button>
        <Button look="quiet" onPress={fit}>
          {editorTexts.fit}
        </Button>
      </div>
      <div ref={box} className="graph-box" onPointerDown={onPointerDown}>
        <div className="graph-sheet" style={sheetSize(layout, scale)}>
          <div className="graph-scaled" style={{ transform: `translate(${margin}px) scale(${scale})` }}>
            <GraphLines layout={layout} view={view} states={shown.states} />
            <div className="graph-start" style={startPlace(layout)}>
              <RunInputBox />
            </div>
            <div role="tree" aria-label={label} tabIndex={-1} onKeyDown={onKeyDown}>
              <GraphNodes
                {...shown}
                nodes={layout.nodes.filter(isIn(view, selectedId))}
                selectedId={selectedId ?? layout.nodes[0]?.step.id}
                onSelect={onSelect}
              />
            </div>
            <InsertButtons
              lines={layout.lines.filter(({ y }) => y > view.top && y < view.bottom)}
              onInsert={onInsert}
            />
          </div>
        </div>
      </div>
    </div>
  );
}

const startPlace = ({ start: { x, y } }: GraphLayout) => ({
  transform: `translate(${x}px, ${y}px) translate(-50%, -50%)`,
});

const sheetSize = ({ width, height }: GraphLayout, scale: number) => ({
  width: width * scale + 2 * margin,
  height: height * scale + margin,
});

const isIn =
  ({ top, bottom }: { top: number; bottom: number }, selectedId: string | undefined) =>
  ({ y, step }: GraphLayout['nodes'][number]) =>
    (y + nodeSize.height > top && y < bottom) || step.id === selectedId;

/** Shows a node that is out of view, and leaves the view alone otherwise. */
function scrollTo(box: HTMLElement, { x, y }: { x: number; y: number }, scale: number) {
  const left = x * scale + margin;
  const top = y * scale;
  const isSeen =
    top >= box.scrollTop &&
    top + nodeSize.height * scale <= box.scrollTop + box.clientHeight &&
    left >= box.scrollLeft &&
    left + nodeSize.width * scale <= box.scrollLeft + box.clientWidth;
  if (isSeen) return;
  box.scrollTo({
    top: top - box.clientHeight / 3,
    left: left - (box.clientWidth - nodeSize.width * scale) / 2,
  });
}

interface InsertButtonsProps {
  lines: GraphLayout['lines'];
  onInsert: (place: StepPlace) => void;
}

/** On each line, a button that adds a step there. */
const InsertButtons = ({ lines, onInsert }: InsertButtonsProps) =>
  lines.map(({ key, x, y, place, from }) => (
    <button
      key={key}
      type="button"
      className="graph-insert"
      tabIndex={-1}
      aria-label={from ? editorTexts.addStepAfter(from.name) : editorTexts.addFirstStep}
      style={{ transform: `translate(${x - 11}px, ${y - 11}px)` }}
      onClick={() => onInsert(place)}
    >
      <Icon name="plus" size={12} />
    </button>
  ));
