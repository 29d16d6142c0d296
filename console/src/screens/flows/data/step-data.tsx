import { useMemo } from 'react';
import type { Step } from '../steps/steps.ts';
import { DataHead } from './data-head.tsx';
import { RunUpTo } from './run-up-to.tsx';
import { StepOutput } from './step-output.tsx';
import { useRunUpTo } from './use-run-up-to.ts';
import { useStepData } from './use-step-data.ts';
import { usesOf } from './uses.ts';
import { VariableList } from './variable-list.tsx';

/** The input and the output of a step, kept up to date while somebody edits. */
export function StepData({ step }: { step: Step }) {
  const data = useStepData(step.id);
  const running = useRunUpTo(step.id, data);
  const uses = useMemo(() => usesOf(step), [step]);
  const failed = data.run?.steps.find(({ id, status }) => status === 'failed' && id !== step.id);
  return (
    <div className="step-data-content">
      <DataHead data={data} />
      {failed && (
        <p className="problem">
          <bdi>{failed.name}</bdi> failed before this step: {failed.error}
        </p>
      )}
      <div className="step-data-columns">
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls */}
        <div role="group" aria-label="Input">
          <h3>Input</h3>
          <VariableList variables={data.variables} uses={uses} isPartial={data.waitsFor.length > 0} />
        </div>
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls */}
        <div role="group" aria-label="Output">
          <h3>Output</h3>
          <StepOutput {...{ step, data, running }} />
        </div>
      </div>
      <RunUpTo {...{ step, data, running }} />
    </div>
  );
}
