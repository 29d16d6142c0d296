import { stepTexts } from '../../../texts/steps.ts';
import { stepTypeLabel } from './step-types.ts';
import type { Step } from './steps.ts';

/** What a step is called and does, in a list as in the graph. */
export const StepName = ({ step }: { step: Step }) => (
  <span className="flows-name">
    <bdi>{step.name}</bdi>
    <span className="help">
      {[
        stepTypeLabel(step.type),
        step.enabled === false && stepTexts.off,
        step.when !== undefined && stepTexts.conditional,
      ]
        .filter(Boolean)
        .join(' · ')}
    </span>
  </span>
);
