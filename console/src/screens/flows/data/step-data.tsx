import { useMemo } from 'react';
import { sharedTexts } from '../../../texts/shared.ts';
import { stepDataTexts } from '../../../texts/step-data.ts';
import type { Step } from '../steps/steps.ts';
import { DataHead } from './data-head.tsx';
import { RunUpTo } from './run-up-to.tsx';
import { StepOutput } from './step-output.tsx';
import { useRunUpTo } from './use-run-up-to.ts';
import { useStepData } from './use-step-data.ts';
import { usedVariables } from './uses.ts';
import { VariableList } from './variable-list.tsx';

/** The input and the output of a step, kept up to date while somebody edits. */
export function StepData({ step }: { step: Step }) {
  const data = useStepData(step.id);
  const running = useRunUpTo(step.id, data);
  const uses = useMemo(() => usedVariables(step), [step]);
  const failed = data.run?.steps.find(({ id, status }) => status === 'failed' && id !== step.id);
  return (
    <div className="step-data-content">
      <DataHead data={data} />
      {failed && (
        <p className="problem">
          {stepDataTexts.failedBeforeThisStep(<bdi>{failed.name}</bdi>, failed.error)}
        </p>
      )}
      <div className="step-data-columns">
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls */}
        <div role="group" aria-label={sharedTexts.input}>
          <h3>{sharedTexts.input}</h3>
          <VariableList variables={data.variables} uses={uses} isPartial={data.waitsFor.length > 0} />
        </div>
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls */}
        <div role="group" aria-label={sharedTexts.output}>
          <h3>{sharedTexts.output}</h3>
          <StepOutput {...{ step, data, running }} />
        </div>
      </div>
      <RunUpTo {...{ step, data, running }} />
    </div>
  );
}
