import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { editorTexts } from '../../../texts/flow-editor.ts';
import { Button } from '../../../ui/forms/button.tsx';
import { VariableMark } from '../data/marks.tsx';
import { useStepMarking } from '../data/use-step-marking.ts';
import { StepName } from '../steps/step-name.tsx';
import type { Step } from '../steps/steps.ts';

interface Props {
  label: string;
  steps: readonly Step[];
  /** The index of the step whose form is open. */
  selected: number | undefined;
  onSelect: (index: number) => void;
  onMove: (from: number, to: number) => void;
  /** Whether there is a finding about a step. */
  hasFinding: (index: number) => boolean;
}

/** The steps in their order. One drags a step, or moves it with Alt and the arrow keys. */
export function StepList({ label, steps, selected, onSelect, onMove, hasFinding }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [dragged, setDragged] = useState<number>();
  const [over, setOver] = useState<number>();
  const [said, setSaid] = useState('');
  const virtual = useVirtualizer({
    count: steps.length,
    getScrollElement: () => box.current,
    estimateSize: () => 58,
    overscan: 10,
    getItemKey: (index) => steps[index]?.id ?? index,
  });
  useEffect(() => {
    if (selected !== undefined) virtual.scrollToIndex(selected, { align: 'auto' });
  }, [selected, virtual]);

  function move(from: number, to: number) {
    if (to < 0 || to >= steps.length || from === to) return;
    onMove(from, to);
    setSaid(editorTexts.movedTo(steps[from]?.name ?? '', to + 1, steps.length));
  }

  function onKeyDown(event: KeyboardEvent, index: number) {
    if (!event.altKey || !['ArrowUp', 'ArrowDown'].includes(event.key)) return;
    event.preventDefault();
    move(index, index + (event.key === 'ArrowUp' ? -1 : 1));
  }

  function drop(index: number) {
    if (dragged !== undefined) move(dragged, index);
    setDragged(undefined);
    setOver(undefined);
  }

  return (
    <div ref={box} className="flows-steps">
      <ol aria-label={label} style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start, key }) => {
          const step = steps[index] as Step;
          return (
            <li
              key={String(key)}
              aria-setsize={steps.length}
              aria-posinset={index + 1}
              className={over === index && dragged !== index ? 'over' : undefined}
              style={{ transform: `translateY(${start}px)` }}
              draggable
              onDragStart={() => setDragged(index)}
              onDragEnd={() => drop(-1)}
              onDragOver={(event) => {
                event.preventDefault();
                setOver(index);
              }}
              onDrop={() => drop(index)}
            >
              <StepButton
                step={step}
                isSelected={selected === index}
                hasFinding={hasFinding(index)}
                onSelect={() => onSelect(index)}
                onKeyDown={(event) => onKeyDown(event, index)}
              />
            </li>
          );
        })}
      </ol>
      <p className="visually-hidden" role="status">
        {said}
      </p>
    </div>
  );
}

export const MoveButtons = ({
  index,
  count,
  onMove,
}: {
  index: number;
  count: number;
  onMove: (to: number) => void;
}) => (
  <>
    <Button look="quiet" isDisabled={index === 0} onPress={() => onMove(index - 1)}>
      {editorTexts.moveUp}
    </Button>
    <Button look="quiet" isDisabled={index === count - 1} onPress={() => onMove(index + 1)}>
      {editorTexts.moveDown}
    </Button>
  </>
);

interface StepButtonProps {
  step: Step;
  isSelected: boolean;
  hasFinding: boolean;
  onSelect: () => void;
  onKeyDown: (event: KeyboardEvent) => void;
}

/** A step of the list. Pointing at it marks the steps that it reads from, and those that read what it sets. */
function StepButton({ step, isSelected, hasFinding, onSelect, onKeyDown }: StepButtonProps) {
  return (
    <button
      type="button"
      className={step.enabled === false ? 'step-card off' : 'step-card'}
      aria-current={isSelected ? 'step' : undefined}
      {...useStepMarking(step)}
      onClick={onSelect}
      onKeyDown={onKeyDown}
    >
      <span className="flows-grip" aria-hidden="true" />
      <StepName step={step} />
      <VariableMark stepId={step.id} />
      {hasFinding && <span className="status bad">{editorTexts.check}</span>}
    </button>
  );
}
