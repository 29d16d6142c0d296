import { useMemo, useState } from 'react';
import { editorTexts } from '../../../texts/flow-editor.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { Button } from '../../../ui/forms/button.tsx';
import { useLastRun } from '../data/last-run.ts';
import { AddStep } from '../editor/add-step.tsx';
import type { Findings } from '../editor/findings.ts';
import { StepDetails } from '../editor/step-details.tsx';
import type { StepsEditorProps } from '../editor/steps-editor-props.ts';
import { eachStep, listAt, type StepPlace, withList } from '../steps/places.ts';
import { namesBefore } from '../steps/scopes.ts';
import { moved, type Step } from '../steps/steps.ts';
import { StepGraph } from './step-graph.tsx';

interface Props {
  flowId: string;
  steps: readonly Step[];
  findings: Findings;
  onChange: (steps: readonly Step[], what?: string) => void;
}

/** The steps of a flow as a graph, and the form of the selected one, also inside of others. */
export function GraphEditor({ flowId, steps, findings, onChange }: Props) {
  const [selectedId, select] = useState(steps[0]?.id);
  const [adding, setAdding] = useState<StepPlace>();
  const states = useLastRun(flowId);
  const found = useMemo(() => new Map([...eachStep(steps)].map((each) => [each.step.id, each])), [steps]);
  const selected = selectedId === undefined ? undefined : found.get(selectedId);
  const within = selected?.within;
  const names = useMemo(() => namesBefore(steps, within), [steps, within]);
  const change = (within: StepPlace['within'], list: readonly Step[], what?: string) =>
    onChange(withList(steps, within, list), what);
  const afterSelected: StepPlace = selected
    ? { within: selected.within, at: selected.at + 1 }
    : { within: undefined, at: steps.length };
  return (
    <div className="flows-editor graph-editor">
      <div>
        <StepGraph
          label={sharedTexts.steps}
          steps={steps}
          selectedId={selectedId}
          states={states}
          onSelect={select}
          onInsert={setAdding}
          onMove={(by) => {
            if (selected) change(selected.within, moved(selected.list, selected.at, selected.at + by));
          }}
          hasFinding={(id) => findings.stepsWith.has(found.get(id)?.path ?? '')}
        />
        <Button onPress={() => setAdding(afterSelected)}>{editorTexts.addStep}</Button>
      </div>
      {selected && (
        <StepDetails
          {...selected}
          known={names}
          findings={findings}
          onChange={(list, what) => change(selected.within, list, what)}
          onSelect={select}
          HeldSteps={InTheGraph}
          selectsAll
        />
      )}
      <AddStep
        isOpen={adding !== undefined}
        onClose={() => setAdding(undefined)}
        onAdd={(added) => {
          if (!adding) return;
          change(adding.within, listAt(steps, adding.within).toSpliced(adding.at, 0, added));
          select(added.id);
        }}
      />
    </div>
  );
}

/** The steps that a step holds, which the graph shows. */
const InTheGraph = ({ steps }: StepsEditorProps) => (
  <p className="help">{steps.length === 0 ? editorTexts.noSteps : editorTexts.stepsInGraph(steps.length)}</p>
);
