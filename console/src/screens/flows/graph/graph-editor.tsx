import { useMemo, useState } from 'react';
import { editorTexts } from '../../../texts/flow-editor.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { Button } from '../../../ui/forms/button.tsx';
import { useLastRun } from '../data/last-run.ts';
import { AddStep } from '../editor/add-step.tsx';
import type { Findings } from '../editor/findings.ts';
import { StepDetails } from '../editor/step-details.tsx';
import type { StepsEditorProps } from '../editor/steps-editor-props.ts';
import { eachStep, listAt, namesBefore, type Place, withList } from '../steps/places.ts';
import { moved, type Step } from '../steps/steps.ts';
import { StepGraph } from './step-graph.tsx';

interface Props {
  flowId: string;
  steps: readonly Step[];
  findings: Findings;
  onChange: (steps: readonly Step[], what?: string) => void;
}

/** The steps of a flow as a graph, and the form of the selected one, also inside of conditions. */
export function GraphEditor({ flowId, steps, findings, onChange }: Props) {
  const [selectedId, select] = useState(steps[0]?.id);
  const [adding, setAdding] = useState<Place>();
  const states = useLastRun(flowId);
  const found = useMemo(() => new Map([...eachStep(steps)].map((each) => [each.step.id, each])), [steps]);
  const selected = selectedId === undefined ? undefined : found.get(selectedId);
  const branch = selected?.branch;
  const known = useMemo(() => namesBefore(steps, branch), [steps, branch]);
  const change = (branch: Place['branch'], list: readonly Step[], what?: string) =>
    onChange(withList(steps, branch, list), what);
  const afterSelected: Place = selected
    ? { branch: selected.branch, at: selected.at + 1 }
    : { branch: undefined, at: steps.length };
  return (
    <div className="flows-editor graph-editor">
      <div>
        <StepGraph
          label={sharedTexts.steps}
          {...{ steps, selectedId, states }}
          onSelect={select}
          onInsert={setAdding}
          onMove={(by) => {
            if (selected) change(selected.branch, moved(selected.list, selected.at, selected.at + by));
          }}
          hasFinding={(id) => findings.stepsWith.has(found.get(id)?.path ?? '')}
        />
        <Button onPress={() => setAdding(afterSelected)}>{editorTexts.addStep}</Button>
      </div>
      {selected && (
        <StepDetails
          {...selected}
          known={known}
          findings={findings}
          onChange={(list, what) => change(selected.branch, list, what)}
          onSelect={select}
          Branch={InTheGraph}
          selectsAll
        />
      )}
      <AddStep
        isOpen={adding !== undefined}
        onClose={() => setAdding(undefined)}
        onAdd={(added) => {
          if (!adding) return;
          change(adding.branch, listAt(steps, adding.branch).toSpliced(adding.at, 0, added));
          select(added.id);
        }}
      />
    </div>
  );
}

/** The branches of a condition, which the graph shows. */
const InTheGraph = ({ steps }: StepsEditorProps) => (
  <p className="help">{steps.length === 0 ? editorTexts.noSteps : editorTexts.stepsInGraph(steps.length)}</p>
);
