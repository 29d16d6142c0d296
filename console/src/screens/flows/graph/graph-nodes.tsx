import { useEffect, useRef } from 'react';
import { editorTexts } from '../../../texts/flow-editor.ts';
import { StatusLabel } from '../../../ui/status.tsx';
import { durationText } from '../../../ui/values/format.ts';
import { VariableMark } from '../data/marks.tsx';
import type { StepState } from '../data/step-states.ts';
import { useStepMarking } from '../data/use-step-marking.ts';
import { StepName } from '../steps/step-name.tsx';
import type { GraphNode } from './layout.ts';
import { nodeSize } from './sizes.ts';

interface Props {
  nodes: readonly GraphNode[];
  selectedId: string | undefined;
  onSelect: (id: string) => void;
  hasFinding: (id: string) => boolean;
  states: ReadonlyMap<string, StepState>;
}

export const GraphNodes = ({ nodes, ...props }: Props) =>
  nodes.map((node) => <Node key={node.step.id} node={node} {...props} />);

/** A step, what it did in the last run, and whether something is wrong with it. */
function Node({
  node,
  selectedId,
  onSelect,
  hasFinding,
  states,
}: Omit<Props, 'nodes'> & { node: GraphNode }) {
  const element = useRef<HTMLDivElement>(null);
  const { step, x, y } = node;
  const isSelected = step.id === selectedId;
  // The keyboard moves on with the selection.
  useEffect(() => {
    const { current } = element;
    const isInTree = current?.closest('[role=tree]')?.contains(document.activeElement);
    if (isSelected && isInTree) current?.focus({ preventScroll: true });
  }, [isSelected]);
  const state = states.get(step.id);
  const marking = useStepMarking(step);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree around it has the keys
    <div
      ref={element}
      role="treeitem"
      aria-selected={isSelected}
      tabIndex={isSelected ? 0 : -1}
      className={step.enabled === false ? 'step-card off' : 'step-card'}
      style={{ transform: `translate(${x}px, ${y}px)`, width: nodeSize.width, height: nodeSize.height }}
      onClick={() => onSelect(step.id)}
      {...marking}
      onFocus={(event) => {
        marking.onFocus(event);
        if (!isSelected) onSelect(step.id);
      }}
    >
      <StepName step={step} />
      <VariableMark stepId={step.id} />
      {hasFinding(step.id) ? (
        <span className="status bad">{editorTexts.check}</span>
      ) : (
        state && (
          <span className="graph-state">
            <StatusLabel of={state.status} />
            {state.durationMs !== null && <span className="help">{durationText(state.durationMs)}</span>}
          </span>
        )
      )}
    </div>
  );
}
